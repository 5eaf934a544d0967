import { expect, it } from 'vitest';
import { TERMS } from '../../../src/web/ui/terms.ts';

it('what explains a profit says that gas is not in it, as it is in no figure of one', () => {
  for (const name of ['openProfit', 'realizedProfit'] as const)
    expect(TERMS[name]).toContain('gas is not in it');
});

it('what explains the part of profitable positions says that those sold in part are counted', () => {
  expect(TERMS.profitable).toContain('ended or were sold in part');
  expect(TERMS.profitable).toContain('only bought is not counted');
});
