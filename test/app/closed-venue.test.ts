import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { countedStore } from '../../src/app/counted-store.ts';
import { createReadiness } from '../../src/app/readiness.ts';
import { AppError } from '../../src/domain/errors.ts';
import { priceTicks } from '../../src/domain/units.ts';
import { createKeptMetrics } from '../support/quiet.ts';
import { createExampleWorld } from '../support/worlds/example-world.ts';
import { during } from '../support/worlds/trading-world.ts';
import { openProcess } from '../support/worlds/venue-life.ts';
import { VENUE_A } from '../support/venue-ids.ts';

it('the service starts without the venue its agents trade at, says so, and trades at the other', async () => {
  const world = await createExampleWorld();
  const closed = {
    ...world,
    row: { ...world.row, id: VENUE_A, cashAccount: 'usdc:safe' as const },
    open: () => Promise.reject(new AppError('config_invalid', 'its settings are wrong')),
  };
  const store = createMemoryStore();
  const { core, die, opened } = await openProcess([closed, world], store, 'without');
  for (const [, venue] of opened) await during(world, venue.accounts.open(world.userId));
  await during(world, core.start());
  await during(world, core.trading.funding.syncDeposits(world.userId));
  world.quote({
    tokenId: world.market.outcomes[0].tokenId,
    side: 'sell',
    price: priceTicks(5_000),
    shares: 100,
  });
  const { marketId } = world.market;
  const bought = await during(
    world,
    core.orders.place(world.userId, {
      venue: world.row.id,
      marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: 10_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
    }),
  );
  const ended = await during(
    world,
    core.orders.ended(world.userId, bought.intent.intentId, 10_000),
  );
  const { ready, checks } = createReadiness({
    store: countedStore(store, createKeptMetrics()),
    core,
    chainHealth: { problems: () => [] },
    feedsSilentMs: () => 0,
    transactions: { stopped: () => [] },
  })();
  expect([ended.state, ready, checks.filter(({ ok }) => !ok)]).toEqual([
    'filled',
    true,
    [
      {
        name: 'venue',
        ok: false,
        detail: 'venue_a could not be opened: its settings are wrong',
      },
    ],
  ]);
  // Its agents are shown, and wait as for a venue that is down.
  expect(core.agents.list(world.userId).map(({ profile }) => profile.venue)).toContain(VENUE_A);
  await expect(core.agents.enable(world.userId, 'btc_5min', {})).rejects.toMatchObject({
    code: 'agent_not_ready',
  });
  die();
  world.close();
});
