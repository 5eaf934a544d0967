import { describe, expect, it } from 'vitest';
import { parseTopic, type BookVenue } from '../../../src/http/live/protocol.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';

const any = { pattern: '.', refusal: 'one character' };
const VENUES: readonly BookVenue[] = [
  {
    venue: VENUE_A,
    ids: { market: any, token: { pattern: '\\d{1,3}', refusal: '' }, order: any, book: 'token' },
  },
  {
    venue: VENUE_B,
    ids: { market: { pattern: 'K[A-Z:]+', refusal: '' }, token: any, order: any, book: 'market' },
  },
];

describe('topics', () => {
  it('of order books and of what their markets are worth name the venue, and what has the book as that venue names it', () => {
    const names = ['orderbook:venue_a:123', 'orderbook:venue_b:KX:Y', 'prices:venue_b:KX:Y'];
    expect(names.map((name) => parseTopic(name, VENUES))).toEqual([
      { kind: 'book', name: 'orderbook:venue_a:123', venue: 'venue_a', bookId: '123' },
      { kind: 'book', name: 'orderbook:venue_b:KX:Y', venue: 'venue_b', bookId: 'KX:Y' },
      { kind: 'market_price', name: 'prices:venue_b:KX:Y', venue: 'venue_b', bookId: 'KX:Y' },
    ]);
  });

  it('are none without a venue, of another venue, or with an invalid id of it', () => {
    const names = [
      'orderbook:123',
      'orderbook::123',
      'orderbook:venue_c:123',
      'orderbook:venue_a:',
      'orderbook:venue_a:1234',
      'orderbook:venue_a:12\n',
      'orderbook:venue_a:KXY',
      'orderbook:venue_b:123',
      'prices:venue_a:BTC',
      'prices:DOGE',
    ];
    expect(names.filter((name) => parseTopic(name, VENUES) !== null)).toEqual([]);
  });
});
