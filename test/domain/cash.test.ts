import { describe, expect, it } from 'vitest';
import {
  CASH_ACCOUNTS,
  chainAccountOf,
  inLockOrder,
  isCashAccount,
} from '../../src/domain/cash.ts';

describe('cash accounts', () => {
  it('are locked in one order, once each', () => {
    expect(inLockOrder(['usdc:base', 'usdc:safe', 'usdc:base'])).toEqual([
      'usdc:safe',
      'usdc:base',
    ]);
  });

  it('have a chain and a rail each, which their transactions are queued for', () => {
    expect(CASH_ACCOUNTS.map((account) => chainAccountOf(account, 'address'))).toEqual([
      { chain: 'POLYGON', rail: 'safe', address: 'address' },
      { chain: 'SOLANA', rail: 'solana', address: 'address' },
      { chain: 'BASE', rail: 'evm', address: 'address' },
    ]);
  });

  it('are distinguished from tokens by their names', () => {
    expect(['usdc:solana', 'usdc', '7001'].map(isCashAccount)).toEqual([true, false, false]);
  });
});
