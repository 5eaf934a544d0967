import { describe, expect, it } from 'vitest';
import { spelledAddress } from '../../../src/adapters/wire/token-address.ts';

const WBNB = '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c';

describe('the spelling of an address', () => {
  it.each([WBNB, WBNB.toLowerCase(), `0x${WBNB.slice(2).toUpperCase()}`])(
    'carries its checksum on EVM chains, however it came: %s',
    (text) => {
      expect(spelledAddress('BSC', text)).toBe(WBNB);
    },
  );

  it('is left as it is on Solana, and where it is another id', () => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const pool = `0x${'ab'.repeat(32)}`;
    expect([spelledAddress('SOLANA', mint), spelledAddress('BSC', pool)]).toEqual([mint, pool]);
  });
});
