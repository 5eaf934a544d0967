import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweepShares, sweepUsdc } from '../../src/domain/sweep.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';

const level = (price: number, shares: number) => ({
  price: priceTicks(price),
  size: shareMicros(shares),
});
const asks = [level(5_100, 20_000_000), level(5_200, 10_000_000), level(6_000, 80_000_000)];

describe('a sweep by USDC', () => {
  it('stops in the level that meets the amount', () => {
    expect(sweepUsdc(asks, usdcMicros(12_800_000))).toEqual({
      worstPrice: 5_200,
      shares: 25_000_000,
      costMicros: 12_800_000,
      complete: true,
    });
  });

  it('says so when the book runs out', () => {
    expect(sweepUsdc([level(5_100, 20_000_000)], usdcMicros(20_000_000))).toEqual({
      worstPrice: 5_100,
      shares: 20_000_000,
      costMicros: 10_200_000,
      complete: false,
    });
  });

  it('is null on an empty side', () => {
    expect(sweepUsdc([], usdcMicros(1))).toBeNull();
    expect(sweepShares([], shareMicros(1))).toBeNull();
  });

  it('takes no more of a level than it shows, however its cost is rounded', () => {
    expect(sweepUsdc([level(5_000, 1)], usdcMicros(1))).toMatchObject({ shares: 1, costMicros: 1 });
  });
});

describe('a sweep by shares', () => {
  it('stops in the level that meets the amount', () => {
    expect(sweepShares(asks, shareMicros(25_000_000))).toEqual({
      worstPrice: 5_200,
      shares: 25_000_000,
      costMicros: 12_800_000,
      complete: true,
    });
  });

  it('says so when the book runs out', () => {
    expect(sweepShares([level(5_100, 5)], shareMicros(6))).toEqual({
      worstPrice: 5_100,
      shares: 5,
      costMicros: 3,
      complete: false,
    });
  });

  it('never promises more shares than the money found by the other sweep pays for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000_000 }), (micros) => {
        const byUsdc = sweepUsdc(asks, usdcMicros(micros));
        const byShares = sweepShares(asks, shareMicros(Math.max(1, byUsdc?.shares ?? 0)));
        expect(byShares?.costMicros ?? 0).toBeLessThanOrEqual(Math.max(micros + asks.length, 1));
      }),
    );
  });
});
