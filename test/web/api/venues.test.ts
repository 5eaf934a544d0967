import { describe, expect, it } from 'vitest';
import { type Market, VENUE_CALLS } from '../../../src/web/api/venues.ts';

describe('what the topic of a book ends in', () => {
  const market = { marketId: 'a-market', outcomes: [{ side: 'yes', tokenId: '7' }] };
  const named = (venue: string, change: object = {}) =>
    VENUE_CALLS[venue]?.bookId({ ...market, ...change } as unknown as Market, 'yes');

  it.each([
    ['the token of an outcome', 'venue_a', {}, '7'],
    ['the market', 'venue_b', {}, 'a-market'],
    ['the market', 'venue_c', { tradeType: 'clob' }, 'a-market'],
    ['the token of an outcome, of a pool', 'venue_c', { tradeType: 'amm' }, '7'],
  ])('is %s at %s', (_what, venue, change, id) => {
    expect(named(venue, change)).toBe(id);
  });

  it.each([
    ['venue_a', {}, false],
    ['venue_b', {}, true],
    ['venue_c', { tradeType: 'clob' }, true],
    ['venue_c', { tradeType: 'amm' }, false],
  ])('serves both outcomes at %s where %o: %s', (venue, change, isMirrored) => {
    const calls = VENUE_CALLS[venue];
    expect(calls?.isMirrored({ ...market, ...change } as unknown as Market)).toBe(isMirrored);
  });

  it('and that of the price is the market of a pool, and of nothing else', () => {
    const ids = ['amm', 'clob'].map((tradeType) =>
      VENUE_CALLS['venue_c']?.poolPriceId({ ...market, tradeType } as unknown as Market),
    );
    expect(ids).toEqual(['a-market', null]);
  });
});
