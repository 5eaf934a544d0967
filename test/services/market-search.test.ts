import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type UserId, type VenueId } from '../../src/domain/ids.ts';
import { createMarketSearch, type FoundMarkets } from '../../src/services/market-search.ts';
import { aMarket, aMarketListing } from '../support/builders.ts';
import { VENUE_A, VENUE_B, VENUE_C } from '../support/venue-ids.ts';

const USER = asId<UserId>('usr_1');
const PRICES = [
  { quote: null, last: null },
  { quote: null, last: null },
] as const;

/** A search over venues of so many markets each; one that is away answers nothing. */
function over(sizes: Readonly<Record<string, number>>) {
  const away = new Set<VenueId>();
  const search = createMarketSearch({
    venues: Object.keys(sizes).map((name) => asId<VenueId>(name)),
    markets: (venue) => ({
      async list(_userId, { limit, cursor, search: text = '' }) {
        if (away.has(venue)) throw new AppError('venue_unavailable', 'away', { retryable: true });
        const from = Number(cursor ?? 0);
        const end = Math.min(from + limit, sizes[venue] ?? 0);
        const data = Array.from({ length: end - from }, (_, index) => ({
          listing: aMarketListing(
            aMarket(1, { venue, question: `${venue} ${text}${from + index + 1}` }),
          ),
          prices: PRICES,
        }));
        return { data, nextCursor: end === sizes[venue] ? null : String(end) };
      },
    }),
  });
  const find = (limit: number, cursor: string | null = null, text?: string, venue?: VenueId) =>
    search.find(USER, { limit, cursor, search: text, venue });
  return { away, find };
}

const namesOf = ({ data }: FoundMarkets) => data.map(({ listing }) => listing.market.question);

describe('the search over all venues', () => {
  it('gives each venue its share of a page, in turn, and goes on where each of them ended', async () => {
    const { find } = over({ [VENUE_A]: 3, [VENUE_B]: 1, [VENUE_C]: 2 });
    const first = await find(4, null, 'rain ');
    expect(namesOf(first)).toEqual([
      'venue_a rain 1',
      'venue_b rain 1',
      'venue_c rain 1',
      'venue_a rain 2',
    ]);
    const second = await find(4, first.nextCursor);
    expect([namesOf(second), second.nextCursor]).toEqual([['venue_a 3', 'venue_c 2'], null]);
  });

  it('has those first whose name begins with what was typed, then those that have it at all', async () => {
    const { find } = over({ [VENUE_A]: 2, [VENUE_B]: 2 });
    expect(namesOf(await find(4, null, 'VENUE_B '))).toEqual([
      'venue_b VENUE_B 1',
      'venue_b VENUE_B 2',
      'venue_a VENUE_B 1',
      'venue_a VENUE_B 2',
    ]);
  });

  it('is of one venue where that is asked for, page by page', async () => {
    const { find } = over({ [VENUE_A]: 3, [VENUE_B]: 3 });
    const first = await find(2, null, undefined, VENUE_B);
    expect(namesOf(first)).toEqual(['venue_b 1', 'venue_b 2']);
    const second = await find(2, first.nextCursor, undefined, VENUE_B);
    expect([namesOf(second), second.nextCursor]).toEqual([['venue_b 3'], null]);
    const other = await find(2, null, undefined, VENUE_A);
    await expect(find(2, other.nextCursor, undefined, VENUE_B)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
    await expect(find(2, null, undefined, VENUE_C)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/venue', message: 'one of venue_a, venue_b' }],
    });
  });

  it('fills a page from the others where a venue has less than its share', async () => {
    const { find } = over({ [VENUE_A]: 1, [VENUE_B]: 9, [VENUE_C]: 0 });
    const first = await find(6);
    expect(namesOf(first)).toEqual(['venue_a 1', ...[1, 2, 3, 4, 5].map((n) => `venue_b ${n}`)]);
    const second = await find(6, first.nextCursor);
    expect([namesOf(second).length, second.nextCursor]).toEqual([4, null]);
  });

  it('asks those first that the page before had no room for', async () => {
    const { find } = over({ [VENUE_A]: 2, [VENUE_B]: 1, [VENUE_C]: 1 });
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: FoundMarkets = await find(1, cursor);
      found.push(...namesOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(found).toEqual(['venue_a 1', 'venue_b 1', 'venue_c 1', 'venue_a 2']);
  });

  it('names a venue that does not answer, shows the others, and asks it again by the next page', async () => {
    const { find, away } = over({ [VENUE_A]: 1, [VENUE_B]: 1 });
    away.add(VENUE_A);
    const first = await find(10);
    expect([namesOf(first), first.missing]).toEqual([
      ['venue_b 1'],
      [{ venue: VENUE_A, code: 'venue_unavailable', detail: 'away' }],
    ]);
    away.clear();
    const second = await find(10, first.nextCursor);
    expect([namesOf(second), second.missing, second.nextCursor]).toEqual([['venue_a 1'], [], null]);
  });

  it.each([
    'x',
    '',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('[["venue_z",null]]').toString('base64url'),
    Buffer.from('[["venue_a",3]]').toString('base64url'),
  ])('refuses an invalid cursor of its own: %s', async (cursor) => {
    const { find } = over({ [VENUE_A]: 1 });
    await expect(find(1, cursor)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
  });
});
