import { expect, it } from 'vitest';
import { sharesMoved } from '../../src/domain/fill.ts';
import { shareMicros } from '../../src/domain/units.ts';

it('a fill moves the shares it matched, less a fee in shares', () => {
  const shares = shareMicros(9);
  expect([sharesMoved({ shares }), sharesMoved({ shares, feeShares: shareMicros(2) })]).toEqual([
    9, 7,
  ]);
});
