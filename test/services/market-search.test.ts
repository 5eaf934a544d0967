import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type MarketId, type UserId, type VenueId } from '../../src/domain/ids.ts';
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

const MINUTE_MS = 60_000;

/** Markets of a venue, each with the minute in which it ends. */
type Ends = Readonly<Record<string, number>>;

/** A search over venues that list what they have by its end, whoever is gone left out. */
function byEnd(venues: Readonly<Record<string, Ends>>) {
  const away = new Set<string>();
  const asked: string[] = [];
  const search = createMarketSearch({
    venues: Object.keys(venues).map((name) => asId<VenueId>(name)),
    markets: (venue) => ({
      async list(_userId, { limit, cursor, sort, state }) {
        if (away.has(venue)) throw new AppError('venue_unavailable', 'away', { retryable: true });
        asked.push(`${venue} ${cursor ?? ''}`.trim());
        const direction = state === 'closed' ? -1 : 1;
        const rows = Object.entries(venues[venue] ?? {})
          .filter(([name]) => !away.has(name))
          .toSorted(([, one], [, other]) => (sort === 'ending' ? direction * (one - other) : 0));
        const from = cursor === null ? 0 : rows.findIndex(([name]) => name === cursor) + 1;
        const page = rows.slice(from, from + limit);
        const data = page.map(([name, minute]) => ({
          listing: aMarketListing({
            ...aMarket(1, { venue, question: name, marketId: asId<MarketId>(name) }),
            endsAtMs: minute * MINUTE_MS,
          }),
          prices: PRICES,
        }));
        const last = page.at(-1)?.[0] ?? null;
        return { data, nextCursor: from + limit < rows.length ? last : null };
      },
    }),
  });
  async function pages(limit: number, state?: 'closed', between = () => undefined as void) {
    const found: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: FoundMarkets = await search.find(USER, { limit, cursor, state, sort: 'ending' });
      found.push([...namesOf(page)]);
      cursor = page.nextCursor;
      between();
    } while (cursor !== null);
    return found;
  }
  return { away, asked, pages, search };
}

describe('the search in the order of ends', () => {
  const ENDS = {
    [VENUE_A]: { a1: 1, a2: 2, a9: 9 },
    [VENUE_B]: { b3: 3, b4: 4, b5: 5, b6: 6 },
    [VENUE_C]: { c2: 2, c8: 8 },
  };

  it('has what ends next over all venues first, each once, however pages are cut', async () => {
    const { pages } = byEnd(ENDS);
    const all = ['a1', 'a2', 'c2', 'b3', 'b4', 'b5', 'b6', 'c8', 'a9'];
    expect(await pages(20)).toEqual([all]);
    for (const limit of [1, 2, 4]) {
      const cut = await pages(limit);
      expect(cut.flat()).toEqual(all);
      expect(cut.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
    }
  });

  it('of closed ones has the last to have ended first', async () => {
    const { pages } = byEnd(ENDS);
    expect((await pages(3, 'closed')).flat()).toEqual([
      'a9',
      'c8',
      'b6',
      'b5',
      'b4',
      'b3',
      'a2',
      'c2',
      'a1',
    ]);
  });

  it('goes on behind the row it gave last where that has gone meanwhile', async () => {
    const { pages, away } = byEnd(ENDS);
    const found = await pages(4, undefined, () => void away.add('b3').add('a2'));
    expect(found.flat()).toEqual(['a1', 'a2', 'c2', 'b3', 'b4', 'b5', 'b6', 'c8', 'a9']);
  });

  it('asks a venue once for a page that it alone fills', async () => {
    const { search, asked } = byEnd({ [VENUE_A]: { a1: 1, a2: 2 }, [VENUE_B]: { b9: 9 } });
    await search.find(USER, { limit: 2, cursor: null, sort: 'ending' });
    expect(asked).toEqual(['venue_a', 'venue_b']);
  });

  it('names a venue that does not answer, and asks it again by the next page', async () => {
    const { search, away } = byEnd({ [VENUE_A]: { a5: 5 }, [VENUE_B]: { b6: 6 } });
    away.add(VENUE_A);
    const first = await search.find(USER, { limit: 5, cursor: null, sort: 'ending' });
    expect([namesOf(first), first.missing.map(({ venue }) => venue)]).toEqual([['b6'], [VENUE_A]]);
    away.clear();
    const query = { limit: 5, cursor: first.nextCursor, sort: 'ending' } as const;
    const second = await search.find(USER, query);
    expect([namesOf(second), second.nextCursor]).toEqual([['a5'], null]);
  });

  it.each(['[["venue_a",null,"m"]]', '[["venue_a",null,"m","x"]]', '[["venue_z",null]]', '[1]'])(
    'refuses an invalid cursor of its own: %s',
    async (text) => {
      const { search } = byEnd(ENDS);
      const cursor = Buffer.from(text).toString('base64url');
      await expect(search.find(USER, { limit: 5, cursor, sort: 'ending' })).rejects.toMatchObject({
        code: 'invalid_request',
        fields: [{ path: '/cursor' }],
      });
    },
  );
});
