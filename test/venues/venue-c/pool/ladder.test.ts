import { describe, expect, it } from 'vitest';
import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import {
  poolPrice,
  sharesBought,
  sharesSold,
  type FixedProductPool,
} from '../../../../src/domain/fixed-product-pool.ts';
import type { OutcomeIndex } from '../../../../src/domain/market.ts';
import { TICKS_PER_USD } from '../../../../src/domain/units.ts';
import { poolLadder } from '../../../../src/venues/venue-c/pool/ladder.ts';
import { runs } from '../../../support/sampled.ts';

const FEE = 20_000_000_000_000_000n;

function aPool(index: number): FixedProductPool {
  const random = createSeededRandom(`pool ${index}`);
  const side = (): bigint => BigInt(1_000_000 + random.integer(20_000_000_000));
  return { reserves: [side(), side()], feeE18: index % 5 === 0 ? 0n : FEE };
}

/** Shares of the first levels and what they cost, or bring, by the levels' prices; micros. */
function upTo(levels: readonly { readonly price: number; readonly size: number }[], count: number) {
  const taken = levels.slice(0, count);
  const shares = taken.reduce((sum, { size }) => sum + size, 0);
  const exact = taken.reduce((sum, { price, size }) => sum + price * size, 0) / TICKS_PER_USD;
  return { shares, exact };
}

describe('the levels of a pool', () => {
  it('never promise more than the contract gives', () => {
    for (let index = 0; index < runs(200, 5_000); index += 1) {
      const pool = aPool(index);
      for (const outcome of [0, 1] as const) {
        const { bids, asks } = poolLadder(pool, outcome);
        for (const count of [1, 2, 10, 50, 200]) {
          const [bought, sold] = [upTo(asks, count), upTo(bids, count)];
          const got = sharesBought(pool, outcome, BigInt(Math.ceil(bought.exact)));
          const given = sharesSold(pool, outcome, BigInt(Math.floor(sold.exact)));
          expect(Number(got ?? 0n)).toBeGreaterThanOrEqual(bought.shares);
          expect(given === null ? Infinity : Number(given)).toBeLessThanOrEqual(sold.shares);
        }
      }
    }
  });

  it('begin at the price with its fee, on the step, and are no further apart', () => {
    const pool: FixedProductPool = { reserves: [5_000_000_000n, 3_333_000_000n], feeE18: FEE };
    const price = poolPrice(pool, 0) * TICKS_PER_USD;
    const { bids, asks } = poolLadder(pool, 0);
    expect([asks[0]?.price, bids[0]?.price]).toEqual([
      Math.ceil(price / 0.98 / 10) * 10,
      Math.floor((price * 0.98) / 10) * 10,
    ]);
    expect(
      asks.map((level, index) => level.price - (asks[index - 1]?.price ?? level.price)),
    ).toEqual(asks.map((_, index) => (index === 0 ? 0 : VENUE_C_POOL.tickSize)));
    expect([asks.length, bids.length]).toEqual([VENUE_C_POOL.levelsMaximum, 200]);
  });

  it('say of a trade what it costs to a fifth of a cent a share', () => {
    const pool: FixedProductPool = { reserves: [5_000_000_000n, 3_333_000_000n], feeE18: FEE };
    const { shares, exact } = upTo(poolLadder(pool, 0).asks, 20);
    const bought = Number(sharesBought(pool, 0, BigInt(Math.ceil(exact))));
    expect(bought / shares).toBeLessThan(1.004);
  });

  it('are none where the pool is empty', () => {
    for (const outcome of [0, 1] satisfies OutcomeIndex[])
      expect(poolLadder({ reserves: [0n, 5_000_000n], feeE18: FEE }, outcome)).toEqual({
        bids: [],
        asks: [],
      });
  });
});
