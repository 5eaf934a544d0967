import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assetPriceFromDecimal,
  assetPriceFromScaled,
} from '../../../src/adapters/wire/asset-price.ts';

describe('assetPriceFromDecimal', () => {
  it('reads exactly and cuts digits beyond the eighth decimal', () => {
    expect(
      ['78788.525642908795142144', '1', '0.00000001', '0060000.5', '89999999.99999999'].map(
        assetPriceFromDecimal,
      ),
    ).toEqual([7_878_852_564_290, 100_000_000, 1, 6_000_050_000_000, 8_999_999_999_999_999]);
  });

  it('gives null for what is no positive price that fits', () => {
    expect(
      [
        '',
        '.',
        '1.',
        '.5',
        '-1',
        '+1',
        '1e5',
        ' 1',
        '1,5',
        '0',
        '0.000000001',
        'NaN',
        '100000000',
        '99999999',
      ].map(assetPriceFromDecimal),
    ).toEqual(Array.from({ length: 14 }, () => null));
  });

  it('reads the same price from decimal text and from digits with eighteen implied decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 10n, max: 9n * 10n ** 25n }), (scaled) => {
        const digits = scaled.toString().padStart(19, '0');
        expect(assetPriceFromDecimal(`${digits.slice(0, -18)}.${digits.slice(-18)}`)).toBe(
          assetPriceFromScaled(scaled, 18),
        );
      }),
    );
  });
});
