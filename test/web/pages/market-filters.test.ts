import { describe, expect, it } from 'vitest';
import { filtersOf, queryOf, searchHint } from '../../../src/web/pages/markets/market-filters.ts';

const of = (address: string) => filtersOf(new URLSearchParams(address));

describe('the filters of a list of markets', () => {
  it('are kept in the address: words, venue, open or ended, and the order', () => {
    const filters = of('search=Bitcoin&state=closed&venue=venue_b&sort=ending');
    expect(filters).toEqual({
      search: 'Bitcoin',
      state: 'closed',
      venue: 'venue_b',
      sort: 'ending',
    });
    expect(queryOf(filters)).toEqual({
      search: 'Bitcoin',
      state: 'closed',
      venue: 'venue_b',
      sort: 'ending',
    });
  });

  it('are open markets of all venues in turn where the address says nothing', () => {
    expect(of('')).toEqual({ search: '', state: 'active', venue: null, sort: null });
    expect(queryOf(of(''))).toEqual({ state: 'active' });
  });

  it('leave out what no list has, and one letter to search by', () => {
    expect(queryOf(of('search=B&venue=venue_z&sort=price&state=x'))).toEqual({ state: 'active' });
  });

  it('say of one letter that it is not searched by', () => {
    expect(['', ' ', 'B ', 'Bi'].map(searchHint)).toEqual([
      undefined,
      undefined,
      'Type at least two letters. Until then every market is listed.',
      undefined,
    ]);
  });

  it('search by no more than the daemon takes', () => {
    expect(of(`search=${'a'.repeat(140)}`).search).toBe('a'.repeat(100));
  });
});
