import { describe, expect, it } from 'vitest';
import type { Address, TokenId } from '../../../src/domain/ids.ts';
import { aVenue, DOWN, UP } from './a-venue.ts';

describe('the model venue', () => {
  it('fills a taker at the makers\' prices and keeps the improvement with the taker', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'sell', price: 5100, shares: 20 });
    const answer = venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 5500, usdc: 10 });
    expect(answer).toMatchObject({ kind: 'matched', makingMicros: 9_999_978, takingMicros: 19_607_800 });
    expect(venue.exchange.sharesOf('b' as Address, UP)).toBe(1_019_607_800);
    expect(venue.exchange.balanceOf('b' as Address)).toBe(1_000_000_000 - 9_999_978 - 343_000);
  });

  it('mints when two buyers meet and merges when two sellers do', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: DOWN, side: 'buy', price: 4000, shares: 10 });
    venue.take({ maker: 'b', tokenId: UP, side: 'buy', price: 6000, usdc: 6 });
    expect(venue.exchange.sharesOf('a' as Address, DOWN)).toBe(1_010_000_000);
    expect(venue.exchange.sharesOf('b' as Address, UP)).toBe(1_010_000_000);
  });

  it('mirrors one outcome\'s book on the other', () => {
    const venue = aVenue();
    venue.rest({ maker: 'a', tokenId: UP, side: 'buy', price: 4700, shares: 10 });
    expect(venue.exchange.book(DOWN as TokenId)).toEqual({ bids: [], asks: [{ price: 5300, size: 10_000_000 }] });
  });
});
