import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { RoundView } from '../../../src/domain/signal.ts';
import { createAgents } from '../../../src/services/agents/agents.ts';
import { createSignals } from '../../../streams/signal.ts';
import { aUserId } from '../../support/builders.ts';
import { aRoundMarket, freshRound } from '../../support/worlds/round-views.ts';
import { NO_FARMING } from '../../support/fakes/no-farming.ts';
import { aWorld, ordersOf } from '../../support/worlds/trading-world.ts';

/** Agents joined with the real signal stream, as the composition root joins them. */
async function joined(userCount: number) {
  const world = aWorld(50_000_000, [aRoundMarket(1)]);
  const store = createMemoryStore();
  const life = world.live(store);
  const views = new Subject<RoundView>();
  let newest: RoundView | null = null;
  let heard = 0;
  const signals = createSignals({ views: () => views, roundView: () => newest });
  const agents = createAgents({
    ...life,
    clock: world.clock,
    random: createSeededRandom('joined'),
    signals,
    farming: () => NO_FARMING,
  });
  await life.orders.recover();
  signals.transitions().subscribe((transition) => {
    heard += 1;
    agents.onSignal(transition);
  });
  await agents.recover();
  const users = Array.from({ length: userCount }, (_, index) => aUserId(index + 1));
  for (const user of users) {
    if (user !== world.user) world.venue.deposit(user, 50_000_000);
    await life.funding.syncDeposits(user);
    await agents.updateSettings(user, 'btc_5min', { avgPositionSize: 5, strategy: 'up_down' });
  }
  const tick = (view: RoundView): void => {
    newest = view;
    views.next(view);
  };
  return { world, store, agents, users, tick, heard: () => heard };
}

describe('agents on the signal stream', () => {
  it('hear changes of mind, one for all of them, and no ticks', async () => {
    const { world, store, agents, users, tick, heard } = await joined(20);
    for (const user of users) await agents.enable(user, 'btc_5min');
    for (let number = 0; number < 100; number += 1)
      tick({ ...freshRound(world.clock.nowMs()), prediction: null });
    expect(heard()).toBe(1);
    tick(freshRound(world.clock.nowMs()));
    await world.clock.advance(2_000);
    expect([heard(), ordersOf(store).length]).toEqual([2, 20]);
  });

  it('act on a round that was judged before they came, first and second alike', async () => {
    const { world, store, agents, users, tick } = await joined(3);
    const [first, second, third] = users;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three users were made above');
    await agents.updateSettings(first, 'btc_5min', { inferenceDifferencePercent: 9 });
    await agents.enable(first, 'btc_5min');
    tick(freshRound(world.clock.nowMs()));
    await agents.enable(second, 'btc_5min');
    await world.clock.advance(500);
    await agents.enable(third, 'btc_5min');
    await world.clock.advance(500);
    expect(
      ordersOf(store)
        .map(({ intent }) => intent.userId)
        .sort(),
    ).toEqual([second, third].sort());
  });
});
