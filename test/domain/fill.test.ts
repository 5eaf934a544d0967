import { expect, it } from 'vitest';
import { feeWorth, sharesMoved } from '../../src/domain/fill.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';

it('a fill moves the shares it matched, less a fee in shares', () => {
  const shares = shareMicros(9);
  expect([sharesMoved({ shares }), sharesMoved({ shares, feeShares: shareMicros(2) })]).toEqual([
    9, 7,
  ]);
});

it('a fee is worth its money, and its shares at the price of the trade', () => {
  const trade = { shares: shareMicros(4), usdc: usdcMicros(3), fee: usdcMicros(0) };
  expect([
    feeWorth({ ...trade, fee: usdcMicros(5) }),
    feeWorth({ ...trade, feeShares: shareMicros(2) }),
    feeWorth({ ...trade, shares: shareMicros(0) }),
  ]).toEqual([5, 1, 0]);
});
