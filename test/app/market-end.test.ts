import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { marketEnd } from '../../src/app/market-end.ts';
import type { Market, Resolution } from '../../src/domain/market.ts';
import { aMarket, T0 } from '../support/builders.ts';

const MARKET = aMarket(1);
const PAID: Resolution = {
  marketId: MARKET.marketId,
  payoutTicks: [10_000, 0],
  resolvedAtMs: T0,
};

const endOf = (market: Market | null, resolution: Resolution | null = null) =>
  marketEnd(
    { market: async () => market, resolution: async () => resolution },
    createVirtualClock(T0),
    MARKET.marketId,
  );

it('is over when the market is closed, or takes no orders after its end', async () => {
  const past = { ...MARKET, endsAtMs: T0 };
  expect([
    await endOf({ ...MARKET, closed: true }),
    await endOf({ ...MARKET, closed: true }, PAID),
    await endOf({ ...past, acceptingOrders: false }),
    await endOf({ ...past, acceptingOrders: false }, PAID),
  ]).toEqual(['closed', 'resolved', 'closed', 'resolved']);
});

it('is not over while it takes orders, has yet to open, or is not listed', async () => {
  expect([
    await endOf({ ...MARKET, endsAtMs: T0, acceptingOrders: true }),
    await endOf({ ...MARKET, endsAtMs: T0 + 1, acceptingOrders: false }),
    await endOf(null),
  ]).toEqual([null, null, null]);
});
