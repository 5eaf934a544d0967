import { expect, it } from 'vitest';
import { assertOtherToken } from '../../../src/services/tokens/same-token.ts';

const [USDC, MINT] = ['0xAbCd', 'EPjF'];

it('a token is refused for itself on its own chain alone, at the field of the second', () => {
  const pairs = [
    [
      { chain: 'BSC', address: USDC },
      { chain: 'BSC', address: '0xabcd' },
    ],
    [
      { chain: 'BASE', address: null },
      { chain: 'BASE', address: null },
    ],
    [
      { chain: 'SOLANA', address: MINT },
      { chain: 'SOLANA', address: MINT },
    ],
  ] as const;
  for (const [one, other] of pairs)
    expect(() => assertOtherToken(one, other, '/buy')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        fields: [{ path: '/buy', message: 'must be another token, or on another chain' }],
      }),
    );
  const others = [
    [
      { chain: 'BSC', address: USDC },
      { chain: 'BASE', address: USDC },
    ],
    [
      { chain: 'BSC', address: USDC },
      { chain: 'BSC', address: null },
    ],
    [
      { chain: 'SOLANA', address: MINT },
      { chain: 'SOLANA', address: 'epjf' },
    ],
  ] as const;
  for (const [one, other] of others)
    expect(() => assertOtherToken(one, other, '/buy')).not.toThrow();
});
