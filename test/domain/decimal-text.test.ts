import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainDecimal, scaledDecimal } from '../../src/domain/decimal-text.ts';

describe('decimals of the outside world', () => {
  it('come out in plain digits, cut off and never rounded', () => {
    expect(
      [
        ['0.00000873', 30],
        ['8.73e-6', 30],
        [1e21, 2],
        ['1.999', 2],
        ['-3.50', 4],
        ['-0.001', 2],
        ['007', 0],
        ['1.', 5],
        ['1e3', 0],
      ].map(([value, decimals]) => plainDecimal(value ?? '', Number(decimals))),
    ).toEqual([
      '0.00000873',
      '0.00000873',
      '1000000000000000000000',
      '1.99',
      '-3.5',
      '0',
      '7',
      '1',
      '1000',
    ]);
    expect(plainDecimal('1e80', 0)).toBe(`1${'0'.repeat(80)}`);
  });

  it('are refused where they are none', () => {
    expect(
      ['', 'NaN', 'Infinity', '1e81', '1e999', '0x10', '1,5', '1 000', '--1', Number.NaN].map(
        (value) => plainDecimal(value, 8),
      ),
    ).toEqual(Array.from({ length: 10 }, () => null));
  });

  it('scale to the whole number they stand for', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 18 }),
        (raw, decimals) => {
          const digits = raw.toString().padStart(decimals + 1, '0');
          const text = `${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}0`;
          expect(scaledDecimal(text, decimals)).toBe(raw);
        },
      ),
    );
    expect([scaledDecimal('-1', 6), scaledDecimal('one', 6)]).toEqual([null, null]);
  });
});
