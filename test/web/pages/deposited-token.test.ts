import { expect, it } from 'vitest';
import { depositedToken } from '../../../src/web/pages/wallet/deposited-token.ts';

type Line = Parameters<typeof depositedToken>[0];

const line = (payment: object | null, creditedUsdc: string | null = null): Line =>
  // of a payment these fields alone are read
  ({ payment: payment as Line['payment'], creditedUsdc });

it('a deposit names its token, how much of it was sent, and on which chain', () => {
  const sent = { symbol: 'USDT', amount: '25.5', chain: 'BSC', tokenAddress: '0x1' };
  expect(depositedToken(line(sent))).toBe('25.5 USDT on BNB Smart Chain');
  expect(depositedToken(line({ ...sent, amount: null }))).toBe('USDT on BNB Smart Chain');
});

it('a token that the bridge does not take is named by its address', () => {
  const unknown = {
    symbol: null,
    amount: null,
    chain: null,
    tokenAddress: `0x${'ab'.repeat(20)}`,
  };
  expect(depositedToken(line(unknown))).toBe('0xabab…abab');
});

it('what came without the bridge is in USDC', () => {
  expect([depositedToken(line(null, '12')), depositedToken(line(null))]).toEqual(['12 USDC', '–']);
});
