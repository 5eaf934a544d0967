import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { expectTraded } from './fixture.ts';
import type { TradingFacts } from './trading.ts';

/** What a mechanism does whose prices lie on a curve that each trade moves. */
export function curveFacts(facts: () => TradingFacts): void {
  const venue = () => facts().venue;
  const orders = () => facts().orders;
  const gateway = () => venue().trading.gateway;
  const token = () => venue().market.outcomes[0].tokenId;

  it('buys all of it at once, no dearer than the worst price, for the money its fill says', async () => {
    const before = await venue().accounts.collateral(venue().userId);
    await venue().quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 20 });
    const { orderId, status, order } = await orders().taken(await orders().now('buy', 20, 5_000));
    expect(status).toBe('matched');
    const [fill, ...more] = await orders().fillsOf(orderId);
    expect(more).toEqual([]);
    expect(fill).toMatchObject({
      role: 'taker',
      side: 'buy',
      tokenId: token(),
      marketId: venue().market.marketId,
    });
    expectTraded(venue(), fill?.legs ?? [], { side: 'buy', shares: 20, price: 5_000 });
    const paid = fill?.legs[0]?.usdc ?? Number.NaN;
    await eventually(async () =>
      expect(await venue().accounts.collateral(venue().userId)).toBe(before - paid),
    );
    expect(await gateway().lookup(order)).toMatchObject({
      kind: 'found',
      order: { orderId, matchedShares: fill?.legs[0]?.shares, reason: null },
    });
  });

  it('keeps its fee inside the price, and states the gas of each trade', async () => {
    await venue().quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
    const { orderId } = await orders().taken(await orders().now('buy', 10, 5_000));
    const fills = await orders().fillsOf(orderId);
    expect(fills.map(({ fee }) => fee)).toEqual([{ unit: 'cash', micros: 0 }]);
    for (const { gas } of fills) expect(BigInt(gas?.units ?? 0)).toBeGreaterThan(0n);
  });

  it('makes nothing of an order that finds too little at its price, also where a part would do', async () => {
    await venue().quote({ tokenId: token(), side: 'sell', price: 3_000, shares: 1 });
    for (const life of ['all_now', 'part_now'] as const)
      await expect(orders().now('buy', 10, 3_000, life)).rejects.toMatchObject({
        code: 'no_liquidity',
        retryable: true,
      });
  });
}
