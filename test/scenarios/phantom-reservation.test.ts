import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createDirectService } from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { ORDERS } from '../../src/services/books/tables.ts';
import { createKeptLog } from '../support/quiet.ts';
import { driveOn } from './drive-on.ts';
import { startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
const SEED = 4;
const HELD_MS = 120_000;

it('phantom-reservation: a user who orders on every two seconds is refused by the venue three times, not sixty, and trades on when it has let go', async () => {
  const clock = createVirtualClock(START_MS);
  const prices = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - 36_000));
  const model = await startWorldModel({
    clock,
    seed: SEED,
    prices,
    foundedAtMs: START_MS,
    faults: [],
    delays: { listingHorizonMs: 0 },
  });
  const log = createKeptLog();
  const service = await createDirectService({
    model,
    clock,
    seed: SEED,
    latencyMs: 20,
    books: 'direct',
    log,
  });
  const { orders, trading } = service.core;
  await driveOn(clock, service.core.start());
  const { userId, address } = await driveOn(
    clock,
    service.addUser('usr_ada', usdcMicros(50_000_000)),
  );
  await clock.advance(30_000);
  const market = model.listings().find(({ window }) => window === null)?.market;
  if (market === undefined) throw new Error('the world lists long-running markets');
  const buy = () =>
    driveOn(
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

  model.faults.arm('phantom-reservation', { times: 1, delayMs: HELD_MS });
  const first = await buy();
  const reported = new Set<string>();
  const until = clock.nowMs() + 4 * HELD_MS;
  let last = first;
  while (clock.nowMs() < until) {
    const answer = await buy().catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      reported.add(error.code);
      return null;
    });
    if (answer !== null) last = answer;
    if (answer !== null && answer.state !== 'rejected') break;
    await clock.advance(2_000);
  }
  await clock.advance(30_000);

  const refused = service.store.range(ORDERS).filter(({ value }) => value.state === 'rejected');
  expect(first.state).toBe('matched');
  expect(refused.map(({ value }) => value.reason)).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('not enough balance')),
  );
  expect([...reported]).toEqual(['funds_disputed']);
  expect(orders.get(userId, last.intent.intentId)?.state).toBe('filled');
  expect(log.lines.filter(({ event }) => event === 'funds.disputed')).toHaveLength(3);
  expect(trading.portfolio.cash(userId, 'usdc:safe').settled).toBe(
    model.exchange.balanceOf(address),
  );
  model.stop();
  await driveOn(clock, service.stop());
});
