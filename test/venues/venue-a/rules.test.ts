import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takerFeeMicros } from '../../../src/domain/fees.ts';
import type { FeeSchedule } from '../../../src/domain/market.ts';
import { costMicros, priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { venueARules } from '../../../src/venues/venue-a/rules.ts';
import { aMarket } from '../../support/builders.ts';

const CRYPTO = { rateMicros: 70_000, exponent: 1, takerOnly: true };

/** The fee that is set aside for spending so much, the same at every price. */
const worstFee = (spentMicros: number, fee: FeeSchedule | null) =>
  venueARules.worstFee(aMarket(1, { fee }), spentMicros, priceTicks(5_000));

describe('the largest fee of a buy at venue_a', () => {
  const spent = 100_000_000;
  const rounding = 1_000;

  it.each([
    ['nothing without a schedule', null, 0],
    ['nothing at a rate of zero', { ...CRYPTO, rateMicros: 0 }, 0],
    ['the rate, and what rounding adds', CRYPTO, 7_000_000 + rounding],
    ['4/27 of it on the older curve', { ...CRYPTO, exponent: 2 }, 1_037_038 + rounding],
  ])('is %s', (_, schedule, fee) => {
    expect(worstFee(spent, schedule)).toBe(fee);
  });

  it('has no bound where the curve has no exponent', () => {
    expect(() => worstFee(spent, { ...CRYPTO, exponent: 0 })).toThrow('exponent');
  });

  it('is never less than the fee at any price', () => {
    for (const exponent of [1, 2])
      for (let price = 1; price < 10_000; price += 7) {
        const shares = shareMicros(Math.floor((spent * 10_000) / price));
        const schedule = { ...CRYPTO, exponent };
        expect(takerFeeMicros(shares, priceTicks(price), schedule)).toBeLessThanOrEqual(
          worstFee(spent, schedule),
        );
      }
  });

  it('is enough for the fees of any way to spend the money, in up to 160 legs', () => {
    const leg = fc.record({
      shares: fc.integer({ min: 1, max: 50_000_000 }),
      price: fc.integer({ min: 1, max: 9_999 }),
    });
    const schedule = fc.record({
      rateMicros: fc.integer({ min: 0, max: 250_000 }),
      exponent: fc.constantFrom(1, 2),
      takerOnly: fc.constant(true),
    });
    fc.assert(
      fc.property(fc.array(leg, { minLength: 1, maxLength: 160 }), schedule, (legs, fee) => {
        const spent = legs.reduce(
          (total, { shares, price }) =>
            total + costMicros(shareMicros(shares), priceTicks(price), 'floor'),
          0,
        );
        const fees = legs.reduce(
          (total, { shares, price }) =>
            total + takerFeeMicros(shareMicros(shares), priceTicks(price), fee),
          0,
        );
        expect(fees).toBeLessThanOrEqual(worstFee(spent, fee));
      }),
    );
  });
});
