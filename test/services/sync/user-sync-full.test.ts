import { watchUser } from '../../support/watched-users.ts';
import { describe, expect, it } from 'vitest';
import { SYNC } from '../../../config/limits.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId, type UserId } from '../../../src/domain/ids.ts';
import type { OrderOrigin } from '../../../src/domain/order.ts';
import { aLimitBuy, aMarketBuy, aUserId } from '../../support/builders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { aWorld, during } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const ENTRY: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
};
const USERS = [aUserId(1), aUserId(2), aUserId(3), aUserId(4)] as const;

/** Four users with money where two may be watched at a time. */
async function aFullLife() {
  const world = aWorld();
  for (const userId of USERS.slice(1)) world.venue.deposit(userId, 100_000_000);
  const life = world.live(createMemoryStore(), { watchedMaximum: 2 });
  for (const userId of USERS) await life.funding.syncDeposits(userId);
  const watched = (): readonly number[] => USERS.map((userId) => world.venue.watchers(userId));
  const order = (userId: UserId, request = aMarketBuy()) =>
    during(world, life.orders.place(userId, request));
  return { world, life, watched, order, users: USERS };
}

describe('more users than may be watched', () => {
  it('the one who has been idle longest makes room, and every fill of every user is booked', async () => {
    const { world, life, watched, order, users } = await aFullLife();
    for (const userId of users) {
      await order(userId);
      await world.clock.advance(30_000);
    }
    expect(watched()).toEqual([0, 0, 1, 1]);
    expect(users.map((userId) => life.portfolio.fills(userId).length)).toEqual([1, 1, 1, 1]);
    expect(life.log.lines.filter(({ event }) => event === 'user_sync.full')).toEqual([]);
  });

  it('no user with an order in motion is let go of, and who finds no room is reported blind and served first once there is', async () => {
    const { world, life, watched, order, users } = await aFullLife();
    const [first, second, third] = users;
    const resting = await order(first, aLimitBuy());
    await order(second, aLimitBuy());
    const reported: UserId[] = [];
    life.userStreams.listen((userId) => void reported.push(userId));
    watchUser(life, third);
    watchUser(life, third);
    expect([watched(), reported]).toEqual([[1, 1, 0, 0], [third]]);
    expect(life.userStreams.problem(third, VENUE_A)).toMatchObject({
      code: 'user_stream_blind',
      sinceMs: world.clock.nowMs(),
    });
    await during(world, life.orders.cancel(first, resting.intent.intentId));
    await world.clock.advance(2 * SYNC.intervalMs);
    expect([watched(), reported, life.userStreams.problem(third, VENUE_A)]).toEqual([
      [0, 1, 1, 0],
      [third, third],
      null,
    ]);
    watchUser(life, users[3]);
    await life.orders.stop();
    await world.clock.advance(SYNC.idleAfterMs);
    expect(watched()).toEqual([0, 0, 0, 0]);
  });

  it('L8: an agent of a user who finds no room enters nothing, and people decide for themselves', async () => {
    const {
      life,
      order,
      users: [first, second, third],
    } = await aFullLife();
    await order(first, aLimitBuy());
    await order(second, aLimitBuy());
    await anEnabledAgent(life, third);
    await expect(order(third, aMarketBuy({ origin: ENTRY }))).rejects.toMatchObject({
      code: 'agent_degraded',
      retryable: true,
    });
    expect(life.orders.listOpen(third)).toEqual([]);
    expect((await order(third)).state).not.toBe('rejected');
  });
});
