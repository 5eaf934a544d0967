import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takerFeeMicros } from '../../src/domain/fees.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';

const CRYPTO = { rateMicros: 70_000, exponent: 1, takerOnly: true };

describe('takerFeeMicros', () => {
  it.each([
    [100_000_000, 5_000, 1_750_000],
    [100_000_000, 9_000, 630_000],
    [100_000_000, 9_900, 69_300],
  ])('charges what the venue publishes: %i micro-shares at %i ticks', (shares, price, fee) => {
    expect(takerFeeMicros(shareMicros(shares), priceTicks(price), CRYPTO)).toBe(fee);
  });

  it('charges nothing without a schedule and below the smallest step', () => {
    expect([
      takerFeeMicros(shareMicros(100_000_000), priceTicks(5_000), null),
      takerFeeMicros(shareMicros(100), priceTicks(5_000), CRYPTO),
    ]).toEqual([0, 0]);
  });

  it('rounds half a step up, and less than that down', () => {
    const schedule = { rateMicros: 80_000, exponent: 1, takerOnly: true };
    expect(
      [249, 250, 749, 750].map((shares) =>
        takerFeeMicros(shareMicros(shares), priceTicks(5_000), schedule),
      ),
    ).toEqual([0, 10, 10, 20]);
  });

  it('knows the older curve with exponent two', () => {
    expect(
      takerFeeMicros(shareMicros(100_000_000), priceTicks(5_000), {
        rateMicros: 250_000,
        exponent: 2,
        takerOnly: true,
      }),
    ).toBe(1_562_500);
  });

  it('is the same for an outcome and its mirror, and a multiple of 0.00001', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000_000 }),
        fc.integer({ min: 1, max: 9_999 }),
        (shares, price) => {
          const fee = takerFeeMicros(shareMicros(shares), priceTicks(price), CRYPTO);
          expect(fee).toBe(takerFeeMicros(shareMicros(shares), priceTicks(10_000 - price), CRYPTO));
          expect(fee % 10).toBe(0);
        },
      ),
    );
  });
});
