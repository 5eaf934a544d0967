import { describe, expect, it } from 'vitest';
import type { Market } from '../../../../src/domain/market.ts';
import type { OrderIntent } from '../../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../../src/domain/units.ts';
import type { TermsQuestion } from '../../../../src/ports/order-rules.ts';
import { poolRules } from '../../../../src/venues/venue-c/pool/rules.ts';
import { aBook, aLevel, aMarket } from '../../../support/builders.ts';

const MARKET: Market = aMarket(1, { tickSize: priceTicks(10) });
const BOOK = aBook(MARKET, 0, {
  asks: [aLevel(4_100, 50), aLevel(4_110, 50)],
  bids: [aLevel(3_900, 50), aLevel(3_890, 50)],
});

const market = (worstPrice?: number): TermsQuestion['type'] => ({
  kind: 'market',
  life: 'all_now',
  book: BOOK,
  ...(worstPrice === undefined ? {} : { worstPrice: priceTicks(worstPrice) }),
});
const limit = (price: number): TermsQuestion['type'] => ({
  kind: 'limit',
  price: priceTicks(price),
});
const terms = (
  side: 'buy' | 'sell',
  unit: 'usdc' | 'shares',
  units: number,
  type: TermsQuestion['type'],
) => poolRules.terms({ market: MARKET, side, amount: { unit, micros: units * 1e6 }, type });

describe('terms of a trade with a pool', () => {
  it('are, of a market order, a cent a share beyond what the levels say, or what its caller accepts', () => {
    expect(terms('buy', 'usdc', 10, market())).toEqual({
      price: 4_200,
      spendMicros: 10_000_000,
      receiveMicros: 23_809_523,
      exact: 'spend',
    });
    expect(terms('buy', 'shares', 60, market(4_120))).toEqual({
      price: 4_120,
      spendMicros: 24_720_000,
      receiveMicros: 60_000_000,
      exact: 'receive',
    });
    expect(terms('sell', 'shares', 60, market())).toEqual({
      price: 3_790,
      spendMicros: 60_000_000,
      receiveMicros: 22_740_000,
      exact: 'spend',
    });
    expect(terms('sell', 'usdc', 19.5, market(3_890)).spendMicros).toBe(50_000_000);
    expect(terms('buy', 'usdc', 10, market(8_000))).toMatchObject({
      price: 8_000,
      receiveMicros: 12_500_000,
    });
    expect(terms('sell', 'shares', 60, market(1_000)).price).toBe(1_000);
  });

  it('are, of a limit order, its own price', () => {
    expect(terms('buy', 'shares', 10, limit(4_000))).toEqual({
      price: 4_000,
      spendMicros: 4_000_000,
      receiveMicros: 10_000_000,
      exact: 'receive',
    });
  });

  it.each<[string, () => unknown, string]>([
    ['a price between steps', () => terms('buy', 'shares', 10, limit(4_005)), 'price_off_tick'],
    ['a price of nothing', () => terms('buy', 'shares', 10, limit(5)), 'price_out_of_range'],
    ['less than a dollar', () => terms('buy', 'usdc', 0.99, market()), 'amount_too_small'],
    ['more than the levels have', () => terms('buy', 'shares', 101, market()), 'no_liquidity'],
    ['a worse price', () => terms('buy', 'shares', 60, market(4_100)), 'no_liquidity'],
    [
      'parts of a thousandth',
      () => poolRules.assertStep({ unit: 'shares', micros: 1_234_567 }, null),
      'amount_off_step',
    ],
    [
      'parts of a cent',
      () => poolRules.assertStep({ unit: 'usdc', micros: 1_234_567 }, null),
      'amount_off_step',
    ],
  ])('refuse %s', (_what, asked, code) => {
    expect(asked).toThrow(expect.objectContaining({ code }));
  });

  it('let a small sale and the whole of what is held go', () => {
    expect(terms('sell', 'shares', 0.5, market()).spendMicros).toBe(500_000);
    const held = { shares: shareMicros(1_234_567), settled: 1_234_567 };
    poolRules.assertStep({ unit: 'shares', micros: 1_234_567 }, held);
  });

  it('leave of an order that rests what is worth a trade, and nothing of dust', () => {
    const order = (changes: Partial<OrderIntent>) =>
      ({
        side: 'buy',
        price: priceTicks(4_000),
        exact: 'receive',
        spendMicros: 40_000_000,
        receiveMicros: 100_000_000,
        ...changes,
      }) as OrderIntent;
    const filled = { shares: shareMicros(90_000_000), usdc: usdcMicros(36_000_000) };
    expect(poolRules.rest?.(order({}), filled)).toEqual({
      spendMicros: 4_000_000,
      receiveMicros: 10_000_000,
    });
    expect(poolRules.rest?.(order({ exact: 'spend' }), filled)).toEqual({
      spendMicros: 4_000_000,
      receiveMicros: 10_000_000,
    });
    const sale = order({ side: 'sell', spendMicros: 90_001_000, receiveMicros: 36_000_000 });
    expect(poolRules.rest?.(sale, filled)).toBeNull();
    const all = { shares: shareMicros(99_000_000), usdc: usdcMicros(39_600_000) };
    expect(poolRules.rest?.(order({}), all)).toBeNull();
  });

  it('keep the fee inside the price', () => {
    const legs = [{ shares: shareMicros(1_000_000), price: priceTicks(5_000) }];
    expect([
      poolRules.worstFee(MARKET, 10_000_000, priceTicks(5_000)),
      poolRules.feeOf(MARKET, legs, 'taker'),
    ]).toEqual([0, 0]);
  });
});
