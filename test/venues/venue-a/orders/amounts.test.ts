import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitAmounts, marketAmounts } from '../../../../src/venues/venue-a/orders/amounts.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../../src/domain/units.ts';

const cent = priceTicks(100);
const aTick = fc.constantFrom(1_000, 100, 50, 25, 10, 1).map(priceTicks);
const aPriceOnTick = aTick.chain((tick) =>
  fc
    .integer({ min: 1, max: 10_000 / tick - 1 })
    .map((steps) => ({ tick, price: priceTicks(steps * tick) })),
);

describe('limit amounts', () => {
  it('agree with the vector of the venue sheet', () => {
    expect(
      limitAmounts({
        side: 'buy',
        price: priceTicks(4_700),
        shares: shareMicros(7_500_000),
        tick: cent,
      }),
    ).toEqual({ spendMicros: 3_525_000, receiveMicros: 7_500_000 });
  });

  it('swap sides for a sale and round shares down to hundredths', () => {
    expect(
      limitAmounts({
        side: 'sell',
        price: priceTicks(2_900),
        shares: shareMicros(7_509_999),
        tick: cent,
      }),
    ).toEqual({ spendMicros: 7_500_000, receiveMicros: 2_175_000 });
  });

  it('refuse a price between two ticks, a price at the edge, and dust', () => {
    expect(() =>
      limitAmounts({
        side: 'buy',
        price: priceTicks(5_150),
        shares: shareMicros(5_000_000),
        tick: cent,
      }),
    ).toThrowError(
      expect.objectContaining({
        code: 'price_off_tick',
        fields: [{ path: '/price', message: 'must be a multiple of 0.01 between 0.01 and 0.99' }],
      }),
    );
    expect(() =>
      limitAmounts({
        side: 'buy',
        price: priceTicks(9_950),
        shares: shareMicros(5_000_000),
        tick: cent,
      }),
    ).toThrowError(expect.objectContaining({ code: 'price_out_of_range' }));
    expect(() =>
      limitAmounts({
        side: 'buy',
        price: priceTicks(5_000),
        shares: shareMicros(9_999),
        tick: cent,
      }),
    ).toThrowError(expect.objectContaining({ code: 'amount_too_small' }));
  });

  it('are exactly shares times price on every tick', () => {
    fc.assert(
      fc.property(
        aPriceOnTick,
        fc.integer({ min: 10_000, max: 1_000_000_000_000 }),
        ({ tick, price }, shares) => {
          const { spendMicros, receiveMicros } = limitAmounts({
            side: 'buy',
            price,
            shares: shareMicros(shares),
            tick,
          });
          expect(BigInt(spendMicros) * 10_000n).toBe(BigInt(receiveMicros) * BigInt(price));
          expect(receiveMicros % 10_000).toBe(0);
          expect(shares - receiveMicros).toBeLessThan(10_000);
        },
      ),
    );
  });
});

describe('market amounts', () => {
  it('agree with the vector of the venue sheet', () => {
    expect(
      marketAmounts({
        side: 'buy',
        price: priceTicks(5_100),
        usdc: usdcMicros(10_000_000),
        tick: cent,
      }),
    ).toEqual({ spendMicros: 10_000_000, receiveMicros: 19_607_800 });
  });

  it('keep a sale on a fine tick within four decimals', () => {
    expect(
      marketAmounts({
        side: 'sell',
        price: priceTicks(9_715),
        shares: shareMicros(5_010_000),
        tick: priceTicks(5),
      }),
    ).toEqual({ spendMicros: 5_010_000, receiveMicros: 4_867_200 });
  });

  it('refuse what rounds to nothing', () => {
    expect(() =>
      marketAmounts({ side: 'buy', price: priceTicks(5_100), usdc: usdcMicros(9_999), tick: cent }),
    ).toThrowError(expect.objectContaining({ code: 'amount_too_small' }));
  });

  it('hold the venue precision rule and never give more than asked', () => {
    fc.assert(
      fc.property(
        aPriceOnTick,
        fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
        fc.integer({ min: 1_000_000, max: 1_000_000_000_000 }),
        ({ tick, price }, side, micros) => {
          fc.pre(side === 'buy' || (micros * price) / 10_000 >= 200);
          const given =
            side === 'buy'
              ? { side, usdc: usdcMicros(micros) }
              : { side, shares: shareMicros(micros) };
          const { spendMicros, receiveMicros } = marketAmounts({ price, tick, ...given });
          expect(spendMicros % 10_000).toBe(0);
          expect(receiveMicros % 100).toBe(0);
          expect(spendMicros).toBeLessThanOrEqual(micros);
        },
      ),
    );
  });
});
