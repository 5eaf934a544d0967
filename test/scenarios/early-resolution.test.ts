import { expect, it } from 'vitest';
import { RESOLUTION } from '../../config/limits.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createDirectService } from '../../src/tools/replay/direct-service.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { createKeptLog } from '../support/quiet.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import { driveOn } from './drive-on.ts';
import { startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
const SEED = 4;

it('market-resolved-silently: pays a position whose market ended weeks early, though it was not reported and its books were not watched', async () => {
  const clock = createVirtualClock(START_MS);
  const prices = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - 36_000));
  const model = await startWorldModel({
    clock,
    seed: SEED,
    prices,
    foundedAtMs: START_MS,
    faults: ['market-resolved-silently'],
    delays: { listingHorizonMs: 0 },
  });
  const service = await createDirectService({
    model,
    clock,
    seed: SEED,
    latencyMs: 20,
    books: 'channel',
    log: createKeptLog(),
  });
  const { orders, trading } = service.core;
  await driveOn(clock, service.core.start());
  const { userId, address } = await driveOn(
    clock,
    service.addUser('usr_ada', usdcMicros(50_000_000)),
  );
  // The makers need a moment to fill the books.
  await clock.advance(30_000);
  const market = model.listings().find(({ window }) => window === null)?.market;
  if (market === undefined) throw new Error('the world lists long-running markets');

  const bought = await driveOn(
    clock,
    orders.place(userId, {
      venue: VENUE_A,
      marketId: market.marketId,
      outcome: 1,
      side: 'buy',
      amount: { unit: 'usdc', micros: 20_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
    }),
  );
  await clock.advance(120_000);
  const held = trading.portfolio
    .holdings(userId, { type: 'open' })
    .map(({ settledShares }) => settledShares);
  model.exchange.resolve(market.marketId, [0, 10_000]);
  await clock.advance(RESOLUTION.checkIntervalMs + RESOLUTION.askTimeoutMs);

  expect(bought.state).toBe('matched');
  expect(held).toEqual([expect.any(Number)]);
  expect(trading.portfolio.holdings(userId, { type: 'open' })).toEqual([]);
  expect(trading.portfolio.cash(userId, 'usdc:safe').settled).toBe(
    model.exchange.balanceOf(address),
  );
  expect(verifyBooks(service.store)).toEqual({
    entries: expect.any(Number),
    imbalanceMicros: 0,
    differing: [],
  });
  model.stop();
  await driveOn(clock, service.stop());
});
