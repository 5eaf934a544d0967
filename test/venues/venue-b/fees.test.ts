import { describe, expect, it } from 'vitest';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { feeInside, publishedFee } from '../../../src/venues/venue-b/fees.ts';

const legs = (...pairs: readonly (readonly [contracts: number, ticks: number])[]) =>
  pairs.map(([contracts, ticks]) => ({
    shares: shareMicros(contracts * 1_000_000),
    price: priceTicks(ticks),
  }));
const costOf = (contracts: number, ticks: number) => contracts * ticks * 100;
const inside = (side: 'buy' | 'sell', contracts: number, usdc: number, limit: number) =>
  feeInside({ side, contracts: contracts * 1_000_000, usdc, limit: priceTicks(limit) });

describe('the published fee', () => {
  it('is 0.07 and 0.01 of contracts × price × what is missing to a dollar, the first up to a cent', () => {
    // 0.07 × 5 × 0.96 × 0.04 = 0.01344, 0.01 × 5 × 0.96 × 0.04 = 0.00192.
    expect(publishedFee(legs([5, 9_600]))).toBe(20_000 + 1_920);
    expect(publishedFee(legs([20, 5_000]))).toBe(350_000 + 50_000);
  });

  it('is rounded once for all prices of a trade', () => {
    const [one, other] = [publishedFee(legs([1, 2_000])), publishedFee(legs([1, 2_100]))];
    const both = publishedFee(legs([1, 2_000], [1, 2_100]));
    expect([one, other, both]).toEqual([21_600, 21_659, 33_259]);
  });
});

describe('the fee inside what was paid in all', () => {
  it.each([
    [5, 9_600],
    [1, 100],
    [1, 9_900],
    [17, 3_300],
    [250, 9_450],
    [10_000, 5_000],
  ])('is the published one of %i contracts at %i ticks, bought or sold', (contracts, ticks) => {
    const [fee, cost] = [publishedFee(legs([contracts, ticks])), costOf(contracts, ticks)];
    expect(inside('buy', contracts, cost + fee, ticks)).toBe(fee);
    expect(inside('sell', contracts, cost - fee, ticks)).toBe(fee);
  });

  it('is the one that a recorded exchange charged, to the hundredth of a cent', () => {
    // venue_b-fixtures, fills-15m: 3 at 0.58 cost 0.0512; the router's part comes on top.
    expect(inside('buy', 3, 1_740_000 + 51_200 + 7_308, 5_900)).toBe(51_200 + 7_308);
  });

  it('is nothing where the whole is a price of its own without any', () => {
    expect(inside('buy', 20, 10_000_000, 5_000)).toBe(0);
  });

  it('is near the published one where a fill had several prices, and never more than was paid', () => {
    const filled = legs([30, 5_000], [50, 5_200], [20, 5_500]);
    const cost = costOf(30, 5_000) + costOf(50, 5_200) + costOf(20, 5_500);
    const fee = publishedFee(filled);
    const reported = inside('buy', 100, cost + fee, 5_500);
    expect(Math.abs(reported - fee)).toBeLessThan(20_000);
    expect(inside('sell', 1, 3, 100)).toBeLessThanOrEqual(3);
  });
});
