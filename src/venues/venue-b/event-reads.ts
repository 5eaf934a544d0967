import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketQuery } from '../../ports/catalogue.ts';
import type { SourcePage } from '../fill-page.ts';
import { checked } from '../checked.ts';
import type { VenueClient } from './client.ts';
import { isTicker, type Listing } from './listing.ts';
import type { EventHead, ListedMarket } from './parse.ts';
import { eventSchema, eventsPage, type WireEvent } from './schema.ts';

/** An event as it was read, with those of its markets that are traded here. */
export interface ReadEvent {
  readonly wire: WireEvent;
  readonly markets: readonly ListedMarket[];
}

/** What the venue itself filters and orders events by; a search by its text alone. */
export interface EventsSource {
  readonly search?: string | undefined;
  readonly series?: string | undefined;
  readonly status: string;
  readonly sort?: 'volume' | 'volume24h' | undefined;
}

/** Reads events. Errors: `venue_unavailable`, `venue_protocol`. */
export interface EventReads {
  page(source: EventsSource, cursor: string | null, limit: number): Promise<SourcePage<ReadEvent>>;
  /** Null without one. */
  event(ticker: string): Promise<ReadEvent | null>;
  /** What a market shows of its event, from memory where it was read before. */
  head(ticker: string): Promise<EventHead | null>;
  /** The same from memory alone; null where it was not read before. */
  knownHead(ticker: string): EventHead | null;
}

/** Creates the reader. */
export function createEventReads({
  client,
  listing,
}: {
  readonly client: VenueClient;
  readonly listing: Listing;
}): EventReads {
  const heads = new NewestKept<EventHead>(VENUE_B.eventHeadsKeptMaximum);

  function read(wire: WireEvent): ReadEvent {
    const { ticker, title, subtitle, seriesTicker, imageUrl } = wire;
    heads.keep(ticker, { title, subtitle, seriesTicker, imageUrl });
    return { wire, markets: listing.rows(wire.markets.slice(0, VENUE_B.eventMarketsMaximum)) };
  }

  async function byTicker(ticker: string, withMarkets: boolean): Promise<ReadEvent | null> {
    if (!isTicker(ticker)) return null;
    const value = await client.read({
      family: 'metadata',
      path: `/event/${encodeURIComponent(ticker)}`,
      ...(withMarkets ? { query: { withNestedMarkets: 'true' } } : {}),
    });
    return value === null ? null : read(checked(eventSchema, value, 'an event'));
  }

  return {
    async page(source, cursor, limit) {
      const { search } = source;
      const value = await client.read({
        family: 'metadata',
        path: search === undefined ? '/events' : '/search',
        query: {
          limit: String(limit),
          withNestedMarkets: 'true',
          ...(cursor === null ? {} : { cursor: String(offsetOf(cursor)) }),
          ...(search === undefined
            ? ownFilters(source)
            : { q: search, withMarketAccounts: 'true' }),
        },
      });
      const page = checked(eventsPage, value, 'a page of events');
      return {
        rows: page.events.flatMap((row) => {
          const wire = eventSchema.safeParse(row);
          return wire.success ? [read(wire.data)] : [];
        }),
        nextCursor: nextOf(page.events, page.cursor, { limit, cursor }),
      };
    },
    event: (ticker) => byTicker(ticker, true),
    knownHead: (ticker) => heads.get(ticker) ?? null,
    async head(ticker) {
      return heads.get(ticker) ?? (await byTicker(ticker, false))?.wire ?? null;
    },
  };
}

function ownFilters({ series, status, sort }: EventsSource): Readonly<Record<string, string>> {
  return {
    status,
    ...(series === undefined ? {} : { seriesTickers: series }),
    ...(sort === undefined ? {} : { sort }),
  };
}

/** A page that is not full is the last one (venue_b.md section 7). */
function nextOf(
  rows: readonly unknown[],
  stated: number | string | null | undefined,
  { limit, cursor }: Pick<MarketQuery, 'limit' | 'cursor'>,
): string | null {
  if (rows.length < limit) return null;
  const next = stated ?? offsetOf(cursor) + rows.length;
  return next === '' ? null : String(next);
}

/** Rows read so far, as a cursor says it. Errors: `invalid_request`. */
export function offsetOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw unknownFilter('cursor', 'not a cursor of this list');
  return Number(cursor);
}

/** The error of a filter that the venue knows nothing of. */
export function unknownFilter(name: string, message: string): AppError {
  return new AppError('invalid_request', `${name}: ${message}`, {
    fields: [{ path: `/${name}`, message }],
  });
}
