import { describe, expect, it } from 'vitest';
import {
  coinOrKnownToken,
  isCoinTicker,
  KNOWN_SYMBOLS,
  knownTokenAt,
  knownTokens,
  WRAPPED_COINS,
} from '../../src/domain/known-tokens.ts';
import type { Web3ChainId } from '../../src/domain/web3-chains.ts';

const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const UNKNOWN = '0xBad0000000000000000000000000000000000001';

describe('the tokens of a chain that are known', () => {
  it('are its dollars and then the others, with their decimals', () => {
    const of = (chain: Web3ChainId) =>
      knownTokens(chain).map(({ symbol, decimals, isDollar }) => [symbol, decimals, isDollar]);
    expect(of('BASE')).toEqual([
      ['USDC', 6, true],
      ['WETH', 18, false],
      ['cbBTC', 8, false],
    ]);
    expect(of('POLYGON').filter(([, , isDollar]) => isDollar)).toEqual([
      ['USDC', 6, true],
      ['USDC.e', 6, true],
      ['pUSD', 6, true],
      ['USDT', 6, true],
    ]);
    expect(of('BSC').every(([, decimals]) => decimals === 18)).toBe(true);
  });

  it('are found by address on their own chain, in any case but on Solana', () => {
    const found = (chain: Web3ChainId, address: string) => knownTokenAt(chain, address)?.symbol;
    expect([
      found('BASE', BASE_USDC),
      found('BASE', BASE_USDC.toLowerCase()),
      found('SOLANA', SOLANA_USDC),
      found('POLYGON', WRAPPED_COINS.POLYGON),
    ]).toEqual(['USDC', 'USDC', 'USDC', 'WPOL']);
    expect([
      knownTokenAt('ETHEREUM', BASE_USDC),
      knownTokenAt('SOLANA', SOLANA_USDC.toLowerCase()),
      knownTokenAt('BASE', UNKNOWN),
    ]).toEqual([null, null, null]);
  });

  it('lend their tickers to no other token, each named once', () => {
    expect(KNOWN_SYMBOLS).toEqual(
      expect.arrayContaining(['ETH', 'MATIC', 'POL', 'BTC', 'USDC.e', 'wSOL']),
    );
    expect(new Set(KNOWN_SYMBOLS).size).toBe(KNOWN_SYMBOLS.length);
  });
});

describe('what a text means on a chain', () => {
  it.each<[Web3ChainId, string, string | null | undefined]>([
    ['BASE', 'eth', null],
    ['BASE', 'usdc', BASE_USDC],
    ['BASE', UNKNOWN, UNKNOWN],
    ['BASE', UNKNOWN.slice(0, -1), undefined],
    ['BASE', `${UNKNOWN}0`, undefined],
    ['BASE', `x${UNKNOWN}`, undefined],
    ['BASE', SOLANA_USDC, undefined],
    ['BASE', 'SOL', undefined],
    ['BSC', 'ETH', '0x2170Ed0880ac9A755fd29B2688956BD959F933F8'],
    ['BSC', 'POL', undefined],
    ['POLYGON', 'pol', null],
    ['POLYGON', 'Matic', null],
    ['POLYGON', 'usdc.e', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'],
    ['SOLANA', 'SOL', null],
    ['SOLANA', 'usdc', SOLANA_USDC],
    ['SOLANA', WRAPPED_COINS.SOLANA, WRAPPED_COINS.SOLANA],
    ['SOLANA', '1'.repeat(32), '1'.repeat(32)],
    ['SOLANA', '1'.repeat(31), undefined],
    ['SOLANA', '1'.repeat(45), undefined],
    ['SOLANA', `${'1'.repeat(32)}0`, undefined],
    ['SOLANA', UNKNOWN, undefined],
  ])('%s, %s: %s', (chain, text, address) => {
    expect(coinOrKnownToken(chain, text)).toBe(address);
    expect(isCoinTicker(chain, text)).toBe(address === null);
  });
});
