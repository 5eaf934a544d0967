import { describe, expect, it } from 'vitest';
import type { OrderAmount, OrderIntent } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { TermsQuestion } from '../../../src/ports/order-rules.ts';
import { TICK } from '../../../src/venues/venue-b/parse.ts';
import { venueBRules } from '../../../src/venues/venue-b/rules.ts';
import { planPurchase } from '../../../src/sandbox/venues/venue-b/model/fill-plan.ts';
import { aBook, aLevel, aMarket } from '../../support/builders.ts';

const MARKET = aMarket(1, { tickSize: TICK });
const usdc = (micros: number): OrderAmount => ({ unit: 'usdc', micros });
const contracts = (number: number): OrderAmount => ({ unit: 'shares', micros: number * 1_000_000 });
const now = (change: object = {}) =>
  ({
    kind: 'market',
    life: 'part_now',
    book: aBook(MARKET, 0, { asks: [aLevel(4_000, 100)], bids: [aLevel(3_900, 100)] }),
    ...change,
  }) as const;
const limit = (price: number) => ({ kind: 'limit', price: priceTicks(price) }) as const;
const terms = (change: Partial<TermsQuestion>) =>
  venueBRules.terms({ market: MARKET, side: 'buy', amount: contracts(5), type: now(), ...change });

describe('orders at venue_b', () => {
  it('buys for a sum of money as many whole contracts as it pays for at the worst price at least', () => {
    expect(terms({ amount: usdc(5_000_000) })).toEqual({
      price: 4_100,
      spendMicros: 4_738_390,
      receiveMicros: 11_000_000,
      exact: 'spend',
    });
  });

  it('may bring more contracts for more money than it promises, and never takes more than was asked for', () => {
    const asked = 50_000_000;
    const book = aBook(MARKET, 0, { asks: [aLevel(5_000, 500)], bids: [] });
    const order = terms({ amount: usdc(asked), type: now({ book }) });
    const filled = planPurchase(new Map([[5_000, 500]]), {
      budgetMicros: asked,
      capTicks: order.price,
      feeMultiplier: 1,
    });
    expect([order.receiveMicros, order.spendMicros]).toEqual([93_000_000, 47_878_554]);
    expect([filled.contracts * 1_000_000, filled.costMicros, filled.feeMicros]).toEqual([
      96_000_000, 48_000_000, 1_920_000,
    ]);
    expect(filled.costMicros + filled.feeMicros).toBeLessThanOrEqual(asked);
  });

  it('buys and sells a number of contracts for no worse than a cent beyond the book', () => {
    expect([terms({}), terms({ side: 'sell' })]).toEqual([
      { price: 4_100, spendMicros: 2_050_000, receiveMicros: 5_000_000, exact: 'receive' },
      { price: 3_800, spendMicros: 5_000_000, receiveMicros: 1_900_000, exact: 'spend' },
    ]);
  });

  it('rests for the whole contracts that money buys at the limit', () => {
    expect(terms({ amount: usdc(5_000_000), type: limit(4_300) })).toEqual({
      price: 4_300,
      spendMicros: 4_730_000,
      receiveMicros: 11_000_000,
      exact: 'receive',
    });
  });

  it.each([
    ['half a contract', { amount: { unit: 'shares', micros: 500_000 } }, 'size_too_small'],
    ['less money than a contract costs', { amount: usdc(400_000) }, 'size_too_small'],
    ['a tenth of a cent', { type: limit(4_310) }, 'price_off_tick'],
    ['half a cent', { type: limit(50) }, 'price_out_of_range'],
    ['a book beyond the worst price', { type: now({ worstPrice: 3_900 }) }, 'no_liquidity'],
  ] as const)('refuses %s', (_what, change, code) => {
    expect(() => terms(change)).toThrowError(expect.objectContaining({ code }));
  });

  it('takes what the book has where that is less than was asked for', () => {
    const book = aBook(MARKET, 0, { asks: [aLevel(4_000, 2)], bids: [] });
    expect(terms({ type: now({ book }) }).receiveMicros).toBe(5_000_000);
  });

  it('leaves of a resting order what has not been filled, until no contract is left', () => {
    const { price, spendMicros, receiveMicros } = terms({ type: limit(4_000) });
    // what it looks at of an order
    const resting = { side: 'buy', price, spendMicros, receiveMicros } as OrderIntent;
    const rest = (shares: number) =>
      venueBRules.rest?.(resting, { shares: shareMicros(shares), usdc: usdcMicros(0) });
    expect([rest(2_000_000), rest(5_000_000)]).toEqual([
      { spendMicros: 1_200_000, receiveMicros: 3_000_000 },
      null,
    ]);
  });
});
