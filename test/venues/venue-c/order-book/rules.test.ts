import { describe, expect, it } from 'vitest';
import type { OrderAmount } from '../../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../../src/domain/units.ts';
import type { TermsQuestion } from '../../../../src/ports/order-rules.ts';
import { venueCRules } from '../../../../src/venues/venue-c/order-book/rules.ts';
import { aBook, aLevel, aMarket } from '../../../support/builders.ts';

const MARKET = aMarket(1, { tickSize: priceTicks(10), minSize: shareMicros(1_000) });
const usdc = (micros: number): OrderAmount => ({ unit: 'usdc', micros });
const shares = (micros: number): OrderAmount => ({ unit: 'shares', micros });
const limit = (price: number) => ({ kind: 'limit', price: priceTicks(price) }) as const;
const now = (change: object = {}) =>
  ({
    kind: 'market',
    life: 'part_now',
    book: aBook(MARKET, 0, { asks: [aLevel(4_000, 100)], bids: [aLevel(3_900, 100)] }),
    ...change,
  }) as const;
const terms = (change: Partial<TermsQuestion>) =>
  venueCRules.terms({
    market: MARKET,
    side: 'buy',
    amount: shares(10_000_000),
    type: now(),
    ...change,
  });

describe('orders at venue_c', () => {
  it('round money against who trades: up for a purchase, down for a sale', () => {
    const type = limit(3_330);
    const amount = shares(1_001_000);
    expect([
      terms({ amount, type }),
      terms({ amount, type, side: 'sell' }),
      terms({ amount: shares(1_001_000), type: limit(3_340) }),
      terms({ amount: shares(1_000), type: limit(10) }),
    ]).toEqual([
      { price: 3_330, spendMicros: 333_333, receiveMicros: 1_001_000, exact: 'receive' },
      { price: 3_330, spendMicros: 1_001_000, receiveMicros: 333_333, exact: 'spend' },
      { price: 3_340, spendMicros: 334_334, receiveMicros: 1_001_000, exact: 'receive' },
      { price: 10, spendMicros: 1, receiveMicros: 1_000, exact: 'receive' },
    ]);
  });

  it('buy for a sum of money the thousandths that it pays for at the worst price', () => {
    expect([
      terms({ amount: usdc(10_000_000) }),
      terms({ amount: usdc(10_000_000), type: now({ worstPrice: priceTicks(4_000) }) }),
      terms({ amount: usdc(10_000_000), type: limit(3_000) }),
    ]).toEqual([
      { price: 4_100, spendMicros: 9_999_900, receiveMicros: 24_390_000, exact: 'receive' },
      { price: 4_000, spendMicros: 10_000_000, receiveMicros: 25_000_000, exact: 'receive' },
      { price: 3_000, spendMicros: 9_999_900, receiveMicros: 33_333_000, exact: 'receive' },
    ]);
  });

  it('sell for a sum of money the shares that bring it by the book', () => {
    expect(terms({ side: 'sell', amount: usdc(7_800_000) })).toEqual({
      price: 3_800,
      spendMicros: 20_000_000,
      receiveMicros: 7_600_000,
      exact: 'spend',
    });
  });

  it('are refused off the tick, out of range, below the least size and beyond the largest', () => {
    for (const [change, code] of [
      [{ type: limit(4_005) }, 'price_off_tick'],
      [{ type: limit(9_999) }, 'price_out_of_range'],
      [{ amount: shares(999), type: limit(4_000) }, 'size_too_small'],
      [{ amount: shares(2_000_000_000_000_000), type: limit(4_000) }, 'invalid_request'],
      [{ amount: shares(200_000_000), type: now({ life: 'all_now' }) }, 'no_liquidity'],
    ] as const)
      expect(() => terms(change)).toThrowError(expect.objectContaining({ code }));
  });

  it('name cents, thousandths of a share, or what is held as it is shown', () => {
    const held = { shares: shareMicros(9_784_123), settled: 9_700_001 };
    for (const amount of [usdc(10_000), shares(1_000), shares(9_784_123), shares(9_700_001)])
      venueCRules.assertStep(amount, held);
    for (const [amount, has] of [
      [usdc(10_001), null],
      [shares(1_001), null],
      [shares(9_784_122), held],
    ] as const)
      expect(() => venueCRules.assertStep(amount, has)).toThrowError(
        expect.objectContaining({ code: 'amount_off_step' }),
      );
  });

  it('set no money aside for a fee, which a buyer pays in shares', () => {
    expect(venueCRules.worstFee(MARKET, 10_000_000, priceTicks(5_000))).toBe(0);
  });

  it('estimate the fees that are known: 59 basis points at 0.93, none of a maker', () => {
    const leg = { shares: shareMicros(10_752_000), price: priceTicks(9_300) };
    expect([
      venueCRules.feeOf(MARKET, [{ ...leg, usdc: usdcMicros(9_999_360) }], 'taker'),
      venueCRules.feeOf(MARKET, [leg], 'maker'),
      venueCRules.feeOf(MARKET, [], 'taker'),
    ]).toEqual([58_996, 0, 0]);
  });
});
