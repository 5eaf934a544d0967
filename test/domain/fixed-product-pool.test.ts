import { assert, bigInt, constantFrom, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  poolPrice,
  sharesBought,
  sharesSold,
  tradeTo,
  type FixedProductPool,
} from '../../src/domain/fixed-product-pool.ts';

const FEE = 20_000_000_000_000_000n;
/** A pool as a hint of six to four leaves it: YES at 0.40. */
const POOL: FixedProductPool = { reserves: [5_000_000_000n, 3_333_333_333n], feeE18: FEE };
const micros = (most: bigint) => bigInt({ min: 1_000_000n, max: most });
const pools = record({
  reserves: tuple(micros(10n ** 13n), micros(10n ** 13n)),
  feeE18: bigInt({ min: 0n, max: 10n ** 17n }),
});
const product = ([yes, no]: readonly [bigint, bigint]): bigint => yes * no;

describe('a pool that keeps its product', () => {
  it('says what an outcome is worth by how scarce it is', () => {
    expect(poolPrice(POOL, 0)).toBeCloseTo(0.4, 9);
    expect(poolPrice(POOL, 1)).toBeCloseTo(0.6, 9);
  });

  it('sells shares for dollars, two in a hundred of which stay with it', () => {
    // 98 dollars come in: 5000 + 98 − 5000 × 3333.333333 / 3431.333333, rounded up twice
    expect(sharesBought(POOL, 0, 100_000_000n)).toBe(240_801_632n);
  });

  it('takes shares for the dollars that are wanted', () => {
    expect(sharesSold(POOL, 0, 98_000_000n)).toBe(254_639_176n);
  });

  it('has no answer where the contract has none', () => {
    const empty: FixedProductPool = { reserves: [0n, 0n], feeE18: FEE };
    expect(sharesBought(empty, 0, 100n)).toBeNull();
    expect(sharesBought(empty, 0, 0n)).toBeNull();
    // it cannot pay more than it has sets for
    expect(sharesSold(POOL, 0, 3_333_333_333n)).toBeNull();
    expect(sharesSold(POOL, 0, 3_266_666_667n)).toBeNull();
  });

  it('never gives away what it keeps the product of', () => {
    assert(
      property(pools, constantFrom(0, 1), micros(10n ** 12n), (pool, outcome, dollars) => {
        const bought = sharesBought(pool, outcome, dollars) ?? 0n;
        const paidIn = dollars - (dollars * pool.feeE18) / 10n ** 18n;
        const [yes, no] = pool.reserves;
        const after: readonly [bigint, bigint] =
          outcome === 0
            ? [yes + paidIn - bought, no + paidIn]
            : [yes + paidIn, no + paidIn - bought];
        expect(product(after)).toBeGreaterThanOrEqual(product(pool.reserves));
        // nor does it give back more than it was paid for the same shares
        expect(
          sharesSold({ ...pool, reserves: after }, outcome, dollars) ?? bought,
        ).toBeGreaterThanOrEqual(bought);
      }),
    );
  });

  it('knows the trade that moves it to a price, by buying one outcome or selling the other', () => {
    for (const yesPrice of [0.1, 0.35, 0.45, 0.8]) {
      const trade = tradeTo(POOL, yesPrice);
      if (trade === null) throw new Error('there is a trade');
      expect(trade.cheap).toBe(yesPrice > 0.4 ? 0 : 1);
      const [yes, no] = POOL.reserves;
      const bought = sharesBought(POOL, trade.cheap, trade.toPay) ?? 0n;
      const paidIn = trade.toPay - (trade.toPay * FEE) / 10n ** 18n;
      const afterBuy: readonly [bigint, bigint] =
        trade.cheap === 0
          ? [yes + paidIn - bought, no + paidIn]
          : [yes + paidIn, no + paidIn - bought];
      expect(poolPrice({ ...POOL, reserves: afterBuy }, 0)).toBeCloseTo(yesPrice, 6);
      const dear = trade.cheap === 0 ? 1 : 0;
      const sold = sharesSold(POOL, dear, trade.toBePaid) ?? 0n;
      const paidOut = (trade.toBePaid * 10n ** 18n) / (10n ** 18n - FEE);
      const afterSale: readonly [bigint, bigint] =
        dear === 0 ? [yes + sold - paidOut, no - paidOut] : [yes - paidOut, no + sold - paidOut];
      expect(poolPrice({ ...POOL, reserves: afterSale }, 0)).toBeCloseTo(yesPrice, 6);
    }
    expect(tradeTo({ ...POOL, reserves: [1_000n, 1_000n] }, 0.5)).toBeNull();
  });
});
