import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assetPriceE8,
  costMicros,
  formatAssetPrice,
  formatDecimal,
  formatPrice,
  mulDiv,
  parseDecimal,
  parsePrice,
  parseShares,
  parseUsdc,
  priceTicks,
  shareMicros,
  sharesFor,
  usdcMicros,
} from '../../src/domain/units.ts';

describe('decimal text', () => {
  it.each([
    ['0.47', 4, 4_700],
    ['.5', 2, 50],
    ['1', 6, 1_000_000],
    ['1.', 6, 1_000_000],
    ['007.10', 2, 710],
    ['0.4700000', 4, 4_700],
    ['9007199254.740991', 6, Number.MAX_SAFE_INTEGER],
    ['9007199254740991', 0, Number.MAX_SAFE_INTEGER],
    ['9007199254.74099', 6, Number.MAX_SAFE_INTEGER - 1],
  ])('reads %j with %i decimals', (text, decimals, value) => {
    expect(parseDecimal(text, decimals)).toBe(value);
  });

  it.each([
    '',
    '.',
    '-1',
    '+1',
    '1e3',
    '1e400',
    'NaN',
    'Infinity',
    ' 1',
    '1 ',
    '1,5',
    '1.2.3',
    '0x10',
    '9007199254.740992',
    '9007199255',
    '0.00001',
    '１',
  ])('refuses %j', (text) => {
    expect(parseDecimal(text, text === '0.00001' ? 4 : 6)).toBeNull();
  });

  it('writes what it reads, to the digit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 0, max: 8 }),
        (value, decimals) => {
          expect(parseDecimal(formatDecimal(value, decimals), decimals)).toBe(value);
        },
      ),
    );
  });

  it('writes prices with as many decimals as they need', () => {
    expect([
      formatPrice(priceTicks(4_700)),
      formatPrice(priceTicks(1)),
      formatAssetPrice(assetPriceE8(7_007_000_000_001)),
    ]).toEqual(['0.47', '0.0001', '70070.00000001']);
  });

  it('writes negative money with its sign', () => {
    expect(formatDecimal(-1_500_000, 6)).toBe('-1.5');
  });

  it('takes prices from 0.0001 to 0.9999 only', () => {
    expect([
      parsePrice('0.0001'),
      parsePrice('0.9999'),
      parsePrice('0'),
      parsePrice('1'),
      parsePrice('0.47001'),
    ]).toEqual([1, 9_999, null, null, null]);
  });

  it('reads money and shares in micros', () => {
    expect([
      parseUsdc('1.5'),
      parseShares('0.000001'),
      parseUsdc('0.0000001'),
      parseShares('x'),
    ]).toEqual([1_500_000, 1, null, null]);
  });
});

describe('units', () => {
  it('refuses what is no integer or out of range', () => {
    for (const make of [
      () => priceTicks(0),
      () => priceTicks(10_000),
      () => priceTicks(1.5),
      () => usdcMicros(0.1),
      () => shareMicros(2 ** 53),
      () => usdcMicros(Number.NaN),
      () => assetPriceE8(0),
      () => assetPriceE8(-1),
    ]) {
      expect(make).toThrow(RangeError);
    }
    expect(usdcMicros(-0)).toBe(0);
  });

  it('L4: multiplies and divides without losing a digit, beyond 2^53 too', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 0, max: 9_999 }),
        (a, b) => {
          const exact = (BigInt(a) * BigInt(b)) / 10_000n;
          const rest = (BigInt(a) * BigInt(b)) % 10_000n;
          expect(mulDiv(a, b, 10_000, 'floor')).toBe(Number(exact));
          expect(mulDiv(a, b, 10_000, 'ceil')).toBe(Number(rest === 0n ? exact : exact + 1n));
        },
      ),
    );
    expect(mulDiv(9_000_000_000_000_000, 10_000, 10_000, 'ceil')).toBe(9_000_000_000_000_000);
  });

  it('never sells more shares than the money pays for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900_000_000_000 }),
        fc.integer({ min: 1, max: 9_999 }),
        (money, price) => {
          const shares = sharesFor(usdcMicros(money), priceTicks(price));
          expect(costMicros(shares, priceTicks(price), 'ceil')).toBeLessThanOrEqual(money);
        },
      ),
    );
  });
});
