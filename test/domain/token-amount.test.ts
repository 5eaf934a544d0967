import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTokenAmount, worthMicros } from '../../src/domain/token-amount.ts';

describe('an amount of a token', () => {
  it('is written exactly, as short as it can be', () => {
    expect(
      [
        [1_500_000n, 6],
        [0n, 18],
        [1n, 18],
        [10n ** 30n, 18],
        [7n, 0],
        [1_000_000n, 6],
      ].map(([raw, decimals]) => formatTokenAmount(BigInt(raw ?? 0), Number(decimals))),
    ).toEqual(['1.5', '0', '0.000000000000000001', '1000000000000', '7', '1']);
  });

  it('gives its digits back, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.integer({ min: 0, max: 36 }),
        (raw, decimals) => {
          const [whole = '', fraction = ''] = formatTokenAmount(raw, decimals).split('.');
          expect(BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)).toBe(raw);
        },
      ),
    );
  });

  it('is worth its price, rounded down to a millionth of a dollar', () => {
    expect(worthMicros(2_500_000_000n, 9, 150_123_456_780_000_000_000n)).toBe(375_308_641n);
    expect(worthMicros(1_999_999n, 6, 10n ** 18n)).toBe(1_999_999n);
    expect(worthMicros(1n, 18, 3_000n * 10n ** 18n)).toBe(0n);
  });
});
