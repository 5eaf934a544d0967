import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketDirectory, MarketEvent, MarketQuery, Page } from '../../ports/venue.ts';
import type { VenueClient } from './client.ts';
import { checked, isTicker, type Listing } from './listing.ts';
import { eventOf, listingOf, resolutionOf, seriesOf } from './parse.ts';
import type { WireEvent } from './schema.ts';
import { eventSchema, eventsPage, marketsPage, seriesPage, seriesSchema } from './schema.ts';

/** What the directory is made of. */
export interface DirectoryParts {
  readonly client: VenueClient;
  readonly listing: Listing;
  readonly clock: Clock;
}

/**
 * Statuses that `state` stands for (venue_b.md section 6): of closed ones the last, where nearly
 * all of them are.
 */
const STATUS_OF = { active: 'active', closed: 'finalized' } as const;
const SORTS: Readonly<Partial<Record<NonNullable<MarketQuery['sort']>, string>>> = {
  volume: 'volume',
  volume24h: 'volume24h',
};

/**
 * Makes the directory over the metadata interface. What the venue cannot filter by is filtered
 * here, so pages may be short.
 */
export function createDirectory(parts: DirectoryParts): MarketDirectory {
  const { listing, clock } = parts;
  return {
    market: async (marketId) => (await listing.market(marketId))?.market ?? null,
    marketOfToken: async (tokenId) => (await listing.ofToken(tokenId))?.market ?? null,
    async resolution(marketId) {
      const found = await listing.market(marketId);
      return found === null ? null : resolutionOf(found, clock.nowMs());
    },
    markets: (query) => markets(parts, query),
    async listing(ticker) {
      const found = await listing.market(ticker);
      return found === null ? null : listingOf(found, null, clock.nowMs());
    },
    events: (query) => events(parts, query),
    async event(ticker) {
      const wire = await readEvent(parts, ticker);
      return wire === null ? null : withMarkets(parts, wire);
    },
    series: async ({ limit, cursor }) => {
      const value = await parts.client.read({ family: 'metadata', path: '/series' });
      const all = checked(seriesPage, value ?? { series: [] }, 'the series').series.flatMap(
        (row) => {
          const read = seriesSchema.safeParse(row);
          return read.success ? [seriesOf(read.data)] : [];
        },
      );
      return cut(all, limit, offsetOf(cursor));
    },
    // The venue tells of trades without who made them.
    whaleTrades: () => Promise.resolve([]),
  };
}

async function markets(parts: DirectoryParts, query: MarketQuery): Promise<Page<MarketListing>> {
  const { eventId, slug, seriesId, series, search } = query;
  const keep = (found: readonly MarketListing[]) => found.filter((one) => isWanted(one, query));
  if (slug !== undefined) {
    const found = await parts.listing.market(slug);
    return cut(
      keep(found === null ? [] : [listingOf(found, null, parts.clock.nowMs())]),
      query.limit,
      offsetOf(query.cursor),
    );
  }
  if (eventId !== undefined) {
    const wire = await readEvent(parts, eventId);
    if (wire === null) throw unknownFilter('eventId', 'no event of this venue');
    return cut(keep(wantedOf(parts, wire, query)), query.limit, offsetOf(query.cursor));
  }
  if (seriesId !== undefined || series !== undefined || search !== undefined) {
    const page = await events(parts, query);
    return { ...page, data: keep(page.data.flatMap((event) => event.markets)) };
  }
  const value = await parts.client.read({
    family: 'metadata',
    path: '/markets',
    query: pageQuery(query),
  });
  const page = checked(marketsPage, value, 'a page of markets');
  const nowMs = parts.clock.nowMs();
  const found = parts.listing.rows(page.markets).map((one) => listingOf(one, null, nowMs));
  return { data: keep(found), nextCursor: nextOf(page.markets, page.cursor, query) };
}

async function events(parts: DirectoryParts, query: MarketQuery): Promise<Page<MarketEvent>> {
  const { search, seriesId, series = seriesId } = query;
  if (series !== undefined && !isTicker(series))
    throw unknownFilter('series', 'no series of this venue');
  const value = await parts.client.read({
    family: 'metadata',
    path: search === undefined ? '/events' : '/search',
    query: {
      ...pageQuery(query),
      withNestedMarkets: 'true',
      ...(search === undefined ? {} : { q: search, withMarketAccounts: 'true' }),
      ...(series === undefined ? {} : { seriesTickers: series }),
    },
  });
  const page = checked(eventsPage, value, 'a page of events');
  const found = page.events.flatMap((row) => {
    const wire = eventSchema.safeParse(row);
    return wire.success ? [withMarkets(parts, wire.data)] : [];
  });
  return { data: found, nextCursor: nextOf(page.events, page.cursor, query) };
}

async function readEvent({ client }: DirectoryParts, ticker: string): Promise<WireEvent | null> {
  if (!isTicker(ticker)) return null;
  const value = await client.read({
    family: 'metadata',
    path: `/event/${encodeURIComponent(ticker)}`,
    query: { withNestedMarkets: 'true' },
  });
  return value === null ? null : checked(eventSchema, value, 'an event');
}

function withMarkets({ listing, clock }: DirectoryParts, wire: WireEvent): MarketEvent {
  const rows = listing.rows(wire.markets.slice(0, VENUE_B.eventMarketsMaximum));
  return eventOf(
    wire,
    rows.map((one) => listingOf(one, wire, clock.nowMs())),
  );
}

/**
 * Returns the markets of an event that fit the other filters: the venue takes none beside an event.
 */
function wantedOf(
  { listing, clock }: DirectoryParts,
  wire: WireEvent,
  { seriesId, series = seriesId, search, status }: MarketQuery,
): readonly MarketListing[] {
  if (series !== undefined && series !== wire.seriesTicker) return [];
  const needle = search?.toLowerCase() ?? '';
  return listing
    .rows(wire.markets.slice(0, VENUE_B.eventMarketsMaximum))
    .filter((one) => status === undefined || one.status === status)
    .map((one) => listingOf(one, wire, clock.nowMs()))
    .filter(({ market, eventTitle }) =>
      `${market.question} ${eventTitle ?? ''}`.toLowerCase().includes(needle),
    );
}

/** What the venue may not have filtered by. */
function isWanted(
  { market, eventSlug }: MarketListing,
  { eventId, endsAfterMs, endsBeforeMs, status, state = 'active' }: MarketQuery,
): boolean {
  return (
    (eventId === undefined || eventSlug === eventId) &&
    (endsAfterMs === undefined || market.endsAtMs >= endsAfterMs) &&
    (endsBeforeMs === undefined || market.endsAtMs <= endsBeforeMs) &&
    (status !== undefined || market.closed === (state === 'closed'))
  );
}

function pageQuery({
  limit,
  cursor,
  sort,
  status,
  state = 'active',
}: MarketQuery): Record<string, string> {
  const order = sort === undefined ? undefined : SORTS[sort];
  return {
    limit: String(Math.min(limit, VENUE_B.pageMaximum)),
    status: status ?? STATUS_OF[state],
    ...(cursor === null ? {} : { cursor: String(offsetOf(cursor)) }),
    ...(order === undefined ? {} : { sort: order }),
  };
}

/** A page that is not full is the last one (venue_b.md section 7). */
function nextOf(
  rows: readonly unknown[],
  stated: number | string | null | undefined,
  { limit, cursor }: Pick<MarketQuery, 'limit' | 'cursor'>,
): string | null {
  if (rows.length < Math.min(limit, VENUE_B.pageMaximum)) return null;
  const next = stated ?? offsetOf(cursor) + rows.length;
  return next === '' ? null : String(next);
}

/** Rows read so far, as a cursor says it. Errors: `invalid_request`. */
function offsetOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw unknownFilter('cursor', 'not a cursor of this list');
  return Number(cursor);
}

function cut<T>(rows: readonly T[], limit: number, offset: number): Page<T> {
  const data = rows.slice(offset, offset + limit);
  const next = offset + data.length;
  return { data, nextCursor: next < rows.length ? String(next) : null };
}

function unknownFilter(name: string, message: string): AppError {
  return new AppError('invalid_request', `${name}: ${message}`, {
    fields: [{ path: `/${name}`, message }],
  });
}
