import { describe, expect, it } from 'vitest';
import { SOLANA_SWAP } from '../../../config/limits/tokens.ts';
import { formatTokenAmount } from '../../../src/domain/token-amount.ts';
import { mostOfCoin } from '../../../src/web/pages/wallet/sell-all.ts';

describe('all that can be sold of a coin', () => {
  it('leaves twice the most that the gas of its sale may take, to the last digit', () => {
    expect(mostOfCoin({ chain: 'BASE', balance: '1.000000000000000001' }, '0.0002')).toBe(
      '0.999600000000000001',
    );
    expect(mostOfCoin({ chain: 'BASE', balance: '1' }, '0')).toBe('1');
  });

  it('leaves the most that the daemon lets a sale on Solana take, rents beside its fee', () => {
    const left = 2_500_000_000n - BigInt(SOLANA_SWAP.lamportsMaximum);
    expect(mostOfCoin({ chain: 'SOLANA', balance: '2.5' }, '0.000005')).toBe(
      formatTokenAmount(left, 9),
    );
  });

  it('is not known to be anything where gas needs it all, or is no amount', () => {
    expect(mostOfCoin({ chain: 'ETHEREUM', balance: '0.004' }, '0.002')).toBeNull();
    expect(mostOfCoin({ chain: 'SOLANA', balance: '0.01' }, '0')).toBeNull();
    expect(mostOfCoin({ chain: 'ETHEREUM', balance: '0.004' }, '–')).toBeNull();
  });
});
