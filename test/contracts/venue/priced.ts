import { expect, it } from 'vitest';
import type { VenueFill } from '../../../src/domain/fill.ts';
import type { OrderId } from '../../../src/domain/ids.ts';
import { TICKS_PER_USD } from '../../../src/domain/units.ts';
import { aLevel } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import type { TradingUnderTest } from './fixture.ts';
import type { TradingFacts } from './trading.ts';

/** What a venue does whose prices are those that orders state. */
export function pricedFacts(facts: () => TradingFacts): void {
  const venue = () => facts().venue;
  const orders = () => facts().orders;
  const gateway = () => venue().trading.gateway;
  const token = (outcome: 0 | 1 = 0) => venue().market.outcomes[outcome].tokenId;
  const legsOf = async (orderId: OrderId) =>
    (await orders().fillsOf(orderId)).flatMap(({ legs }) => legs);
  const open = async () => (await gateway().openOrders(venue().userId)).read;

  it('matches an order at once, at the exact prices of the makers of either outcome, for the money its fills say', async () => {
    const before = await venue().accounts.collateral(venue().userId);
    venue().quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
    venue().quote({ tokenId: token(1), side: 'buy', price: 4_900, shares: 100 });
    const asks = [aLevel(5_000, 10), aLevel(5_100, 100)];
    const { orderId, status, order } = await orders().taken(
      await orders().now('buy', 20, 5_100, undefined, asks),
    );
    expect(status).toBe('matched');
    const legs = await legsOf(orderId);
    // Some state the whole alone.
    if (legs.length > 1)
      expect(legs).toEqual([
        { shares: 10_000_000, price: 5_000 },
        { shares: 10_000_000, price: 5_100 },
      ]);
    expect(legs.reduce((sum, { shares }) => sum + shares, 0)).toBe(20_000_000);
    const paid = (await orders().fillsOf(orderId)).reduce(
      (sum, fill) => sum + paidFor(venue(), fill),
      0,
    );
    await eventually(async () =>
      expect(await venue().accounts.collateral(venue().userId)).toBe(before - paid),
    );
    for (const fill of await orders().fillsOf(orderId))
      expect(fill).toMatchObject({
        role: 'taker',
        side: 'buy',
        tokenId: token(),
        marketId: venue().market.marketId,
      });
    expect(await gateway().lookup(order)).toMatchObject({
      kind: 'found',
      order: { orderId, status: 'matched', matchedShares: 20_000_000, reason: null },
    });
  });

  it('takes a fee of who meets an order, in money or in shares', async () => {
    venue().quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
    const { orderId } = await orders().taken(await orders().now('buy', 10, 5_000));
    const fees = (await orders().fillsOf(orderId)).map(
      ({ fee, legs, role }) =>
        fee?.micros ?? venue().trading.rules.feeOf(venue().market, legs, role),
    );
    expect(fees.reduce((one, other) => one + other, 0)).toBeGreaterThan(0);
  });

  it('takes what is to be had for an order that wants that, and ends the rest', async () => {
    venue().quote({ tokenId: token(), side: 'sell', price: 3_000, shares: 5 });
    const { orderId, status } = await orders().taken(
      await orders().now('buy', 10, 3_000, 'part_now'),
    );
    expect(['matched', 'cancelled']).toContain(status);
    expect(await legsOf(orderId)).toMatchObject([{ shares: 5_000_000, price: 3_000 }]);
    expect(await open()).toEqual([]);
  });
}

/** What left the account for a purchase, its fee included; a fee in shares leaves none. */
function paidFor(
  { trading: { rules }, market }: TradingUnderTest,
  { legs, fee, role }: VenueFill,
): number {
  const money = legs.reduce(
    (sum, { usdc, shares, price }) => sum + (usdc ?? (shares * price) / TICKS_PER_USD),
    0,
  );
  if (fee === null) return money + rules.feeOf(market, legs, role);
  return money + (fee.unit === 'cash' ? fee.micros : 0);
}
