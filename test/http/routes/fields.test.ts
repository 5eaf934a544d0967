import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountField, priceOf } from '../../../src/http/routes/fields.ts';
import { formatDecimal } from '../../../src/domain/units.ts';

describe('amountField', () => {
  it('takes numbers and text alike, digit by digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999 }), (micros) => {
        const text = formatDecimal(micros, 6);
        expect([amountField.parse(text), amountField.parse(Number(text))]).toEqual([
          micros,
          micros,
        ]);
      }),
    );
  });

  it('takes the most it can count, and says so of more', () => {
    expect(['90071993', '9007199254'].map((text) => amountField.parse(text))).toEqual([
      90_071_993_000_000, 9_007_199_254_000_000,
    ]);
    expect(amountField.safeParse('9007199255').error?.issues.map(({ message }) => message)).toEqual(
      ['must be at most 9007199254'],
    );
  });

  it('takes one form of a decimal, and as many noughts behind it as there are', () => {
    expect(['5', '0.5', '5.25', '5.50'].map((text) => amountField.parse(text))).toEqual([
      5_000_000, 500_000, 5_250_000, 5_500_000,
    ]);
  });

  it('refuses whatever is no positive amount', () => {
    const values = [
      0,
      '0',
      '0.0000000',
      -1,
      '-1',
      '+1',
      ' 1',
      '1e3',
      1e21,
      1e-7,
      '0.0000001',
      '',
      '.',
      '0x10',
      'NaN',
      '1,5',
      null,
      {},
      '9'.repeat(33),
      '05',
      '00.5',
      '5.',
      '.5',
    ];
    expect(values.filter((value) => amountField.safeParse(value).success)).toEqual([]);
  });
});

describe('priceOf', () => {
  it('reads prices on the finest tick and says what is wrong with others', () => {
    const verdict = (text: string): unknown => {
      try {
        return priceOf(text);
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : error;
      }
    };
    expect(
      ['0.47', '0.5', '0.0001', '0.9999', '0.00001', '0.47001', '0', '1', '1.5', '47'].map(verdict),
    ).toEqual([
      4_700,
      5_000,
      1,
      9_999,
      'price_off_tick',
      'price_off_tick',
      'price_out_of_range',
      'price_out_of_range',
      'price_out_of_range',
      'price_out_of_range',
    ]);
  });
});
