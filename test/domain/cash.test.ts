import { describe, expect, it } from 'vitest';
import { inLockOrder, isCashAccount } from '../../src/domain/cash.ts';

describe('cash accounts', () => {
  it('are locked in one order, once each', () => {
    expect(inLockOrder(['usdc:base', 'usdc:safe', 'usdc:base'])).toEqual([
      'usdc:safe',
      'usdc:base',
    ]);
  });

  it('are told from tokens by their names', () => {
    expect(['usdc:solana', 'usdc', '7001'].map(isCashAccount)).toEqual([true, false, false]);
  });
});
