import { z } from 'zod';
import { LISTING } from '../../../config/limits/listing.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ListingPage,
  MarketDirectory,
  MarketEvent,
  MarketQuery,
  PageQuery,
} from '../../ports/catalogue.ts';
import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import { fillPage, type PageSource } from '../fill-page.ts';
import { earliestEnd, isAscending, MARKET_FIGURES, type ListingSort } from '../listing-order.ts';
import type { VenueClient } from './client.ts';
import {
  PAGE_MAXIMUM,
  checked,
  discovery,
  discoveryPage,
  listedMarket,
  offsetOf,
  type DiscoveryQuery,
} from './discovery/calls.ts';
import { parseListedEvent, readListedEvent, readListing } from './discovery/gamma-listing.ts';
import {
  eventPageSchema,
  marketPageSchema,
  searchSchema,
  seriesListSchema,
} from './discovery/gamma-schema.ts';
import type { NoteMarket } from './discovery/refused-markets.ts';

/** The part of the directory that people browse. */
export type Browsing = Pick<MarketDirectory, 'markets' | 'events' | 'event' | 'series' | 'listing'>;

const SERIES_PAGE_MAXIMUM = 50;
const CONDITION_ID = /^0x[0-9a-f]{64}$/;
/** An id of the venue's catalogue: it travels in a path, where anything else cannot be one. */
const CATALOGUE_ID = /^[0-9]{1,20}$/;
const SLUG = /^[0-9A-Za-z_-]{1,200}$/;

/** Reads a page of a list. */
type PageRead<T> = PageSource<T>['read'];
const MARKET_ORDER: Readonly<Record<ListingSort, string>> = {
  volume: 'volumeNum',
  volume24h: 'volume24hr',
  ending: 'endDate',
  newest: 'startDate',
};
const EVENT_ORDER: Readonly<Record<ListingSort, string>> = {
  volume: 'volume',
  volume24h: 'volume24hr',
  ending: 'endDate',
  newest: 'startDate',
};
const SEARCH_ORDER: Readonly<Record<ListingSort, string>> = {
  volume: 'volume',
  volume24h: 'volume_24hr',
  ending: 'end_date',
  newest: 'start_date',
};

const named = z.object({ id: z.string() });

/**
 * Makes browsing over the discovery interface. A list costs one call, one more where a tag or a
 * series is named that has not been looked up before, and one more for each page of the venue's
 * that it takes to fill a page: what the venue cannot filter by is left out here.
 */
export function createBrowsing({
  client,
  clock,
  note,
}: {
  readonly client: VenueClient;
  readonly clock: Clock;
  /** Hears of each market that is listed. */
  readonly note?: NoteMarket;
}): Browsing {
  const ids = new NewestKept<string>(LISTING.namesKeptMaximum);

  const noted = <T extends MarketListing | null>(listing: T): T => {
    if (listing !== null) note?.(listing.market);
    return listing;
  };
  const notedEvent = <T extends MarketEvent | null>(found: T): T => {
    found?.markets.forEach(noted);
    return found;
  };

  async function idOf(kind: 'tag' | 'series', slug: string): Promise<string> {
    const known = ids.get(`${kind} ${slug}`);
    if (known !== undefined) return known;
    const found =
      kind === 'tag'
        ? await discovery(client, `/tags/slug/${encodeURIComponent(slug)}`)
        : (checked(
            z.array(z.unknown()),
            await discovery(client, '/series', { slug, limit: '1', exclude_events: 'true' }),
            'the series',
          )[0] ?? null);
    if (found === null) throw unknownName(kind, `the venue has no such ${kind}`);
    const { id } = checked(named, found, `a ${kind}`);
    ids.keep(`${kind} ${slug}`, id);
    return id;
  }

  async function keyset(
    query: MarketQuery,
    order: Readonly<Record<ListingSort, string>>,
  ): Promise<DiscoveryQuery> {
    const { state, slug, tag, sort } = query;
    return {
      closed: String(state === 'closed'),
      slug,
      tag_id: tag === undefined ? undefined : await idOf('tag', tag),
      end_date_min: isoOf(earliestEnd(query, clock.nowMs())),
      end_date_max: isoOf(query.endsBeforeMs),
      order: sort === undefined ? undefined : order[sort],
      ascending: sort === undefined ? undefined : String(isAscending(sort, state)),
    };
  }

  async function eventsAsked(query: MarketQuery): Promise<PageRead<MarketEvent>> {
    const asked = {
      ...(await keyset(query, EVENT_ORDER)),
      series_id:
        query.seriesId ??
        (query.series === undefined ? undefined : await idOf('series', query.series)),
    };
    return async (cursor, rowsWanted) => {
      const page = checked(
        eventPageSchema,
        await discoveryPage(client, '/events/keyset', {
          ...asked,
          limit: String(Math.min(rowsWanted, LISTING.eventsPageMaximum)),
          after_cursor: cursor ?? undefined,
        }),
        'a page of events',
      );
      return {
        rows: page.events.flatMap((row) => notedEvent(readListedEvent(row)) ?? []),
        nextCursor: page.next_cursor || null,
      };
    };
  }

  async function marketsAsked(query: MarketQuery): Promise<PageRead<MarketListing>> {
    const asked = await keyset(query, MARKET_ORDER);
    return async (cursor, rowsWanted) => {
      const page = checked(
        marketPageSchema,
        await discoveryPage(client, '/markets/keyset', {
          ...asked,
          limit: String(Math.min(rowsWanted, PAGE_MAXIMUM)),
          after_cursor: cursor ?? undefined,
          include_tag: 'true',
        }),
        'a page of markets',
      );
      return {
        rows: page.markets.flatMap((row) => noted(readListing(row)) ?? []),
        nextCursor: page.next_cursor || null,
      };
    };
  }

  /** A search has numbered pages, which are of one size. */
  function eventsFound({ search, sort, state }: MarketQuery): PageRead<MarketEvent> {
    return async (cursor) => {
      const pageNumber = offsetOf(cursor) + 1;
      const answer = checked(
        searchSchema,
        await discovery(client, '/public-search', {
          q: search,
          limit_per_type: String(LISTING.eventsPageMaximum),
          page: String(pageNumber),
          events_status: state === 'closed' ? 'resolved' : 'active',
          sort: sort === undefined ? undefined : SEARCH_ORDER[sort],
          ascending: sort === undefined ? undefined : String(isAscending(sort, state)),
        }),
        'a search answer',
      );
      return {
        rows: (answer.events ?? []).flatMap((row) => notedEvent(readListedEvent(row)) ?? []),
        nextCursor: answer.pagination?.hasMore === true ? String(pageNumber) : null,
      };
    };
  }

  async function event(eventId: string): Promise<MarketEvent | null> {
    if (!CATALOGUE_ID.test(eventId)) return null;
    const value = await discovery(client, `/events/${eventId}`);
    return value === null ? null : notedEvent(parseListedEvent(value));
  }

  async function eventMarkets(
    query: MarketQuery,
    eventId: string,
  ): Promise<ListingPage<MarketListing>> {
    const found = await event(eventId);
    if (found === null) throw unknownName('eventId', 'the venue has no such event');
    const rows = sorted(found.markets, query);
    return filled(query, async () => ({ rows, nextCursor: null }), fits(query, clock.nowMs()));
  }

  return {
    event,
    async markets(query) {
      const { search, eventId, series, seriesId } = query;
      const wanted = fits(query, clock.nowMs());
      if (search !== undefined) return filled(query, marketsIn(eventsFound(query)), wanted);
      if (eventId !== undefined) return eventMarkets(query, eventId);
      // Markets cannot be asked for by series, events can; which series they are of is settled by
      // that.
      if (series !== undefined || seriesId !== undefined)
        return filled(
          query,
          marketsIn(await eventsAsked({ ...query, slug: undefined })),
          fits({ ...query, series: undefined, seriesId: undefined }, clock.nowMs()),
        );
      return filled(query, await marketsAsked(query));
    },
    async events(query) {
      return query.search === undefined
        ? filled(query, await eventsAsked(query))
        : filled(query, eventsFound(query), fitsAsEvent(query, clock.nowMs()));
    },
    series: (query) =>
      filled(query, async (cursor, rowsWanted) => {
        const offset = offsetOf(cursor);
        const limit = Math.min(rowsWanted, SERIES_PAGE_MAXIMUM);
        const rows = checked(
          seriesListSchema,
          await discovery(client, '/series', {
            limit: String(limit),
            offset: String(offset),
            exclude_events: 'true',
          }),
          'the series',
        );
        return {
          rows: rows.map(({ id, slug, title, recurrence }) => ({
            seriesId: id,
            slug: slug ?? '',
            title: title ?? '',
            recurrence: recurrence ?? '',
          })),
          nextCursor: rows.length < limit ? null : String(offset + rows.length),
        };
      }),
    async listing(idOrSlug) {
      if (CONDITION_ID.test(idOrSlug)) {
        const found = await listedMarket(
          client,
          { condition_ids: idOrSlug, include_tag: 'true' },
          ({ conditionId }) => conditionId.toLowerCase() === idOrSlug,
        );
        return found === null ? null : noted(readListing(found.row));
      }
      if (!SLUG.test(idOrSlug)) return null;
      const row = await discovery(client, `/markets/slug/${idOrSlug}`, { include_tag: 'true' });
      return row === null ? null : noted(readListing(row));
    },
  };
}

function filled<T>(
  query: PageQuery,
  read: PageRead<T>,
  keep: (row: T) => boolean = () => true,
): Promise<ListingPage<T>> {
  return fillPage(query, { read, keep, readsMaximum: LISTING.readsMaximum });
}

/** The venue pages by events, of which each may have many markets. */
function marketsIn(read: PageRead<MarketEvent>): PageRead<MarketListing> {
  return async (cursor, rowsWanted) => {
    const page = await read(cursor, rowsWanted);
    return { ...page, rows: page.rows.flatMap(({ markets }) => markets) };
  };
}

/** Reports whether a market is one that was asked for: where the venue cannot say so. */
function fits(query: MarketQuery, nowMs: number): (listing: MarketListing) => boolean {
  const after = earliestEnd(query, nowMs);
  return ({ market, series, tags }) =>
    market.closed === (query.state === 'closed') &&
    isOrFree(query.slug, market.slug) &&
    isOrFree(query.eventId, market.eventId) &&
    isOrFree(query.series, series?.slug) &&
    isOrFree(query.seriesId, series?.seriesId) &&
    (query.tag === undefined || tags.some(({ slug }) => slug === query.tag)) &&
    (after === undefined || market.endsAtMs >= after) &&
    (query.endsBeforeMs === undefined || market.endsAtMs <= query.endsBeforeMs);
}

function fitsAsEvent(query: MarketQuery, nowMs: number): (event: MarketEvent) => boolean {
  const after = earliestEnd(query, nowMs);
  return ({ closed, slug, series, tags, endsAtMs }) =>
    closed === (query.state === 'closed') &&
    isOrFree(query.slug, slug) &&
    isOrFree(query.series, series?.slug) &&
    isOrFree(query.seriesId, series?.seriesId) &&
    (query.tag === undefined || tags.some((tag) => tag.slug === query.tag)) &&
    (after === undefined || (endsAtMs ?? Infinity) >= after) &&
    (query.endsBeforeMs === undefined || (endsAtMs ?? Infinity) <= query.endsBeforeMs);
}

function isOrFree(asked: string | undefined, own: string | null | undefined): boolean {
  return asked === undefined || asked === own;
}

function sorted(
  listings: readonly MarketListing[],
  { sort, state }: MarketQuery,
): readonly MarketListing[] {
  if (sort === undefined) return listings;
  const figureOf = MARKET_FIGURES[sort];
  const direction = isAscending(sort, state) ? 1 : -1;
  return listings.toSorted((a, b) => direction * (figureOf(a) - figureOf(b)));
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

function unknownName(parameter: 'tag' | 'series' | 'eventId', message: string): AppError {
  return new AppError('invalid_request', `${parameter}: ${message}`, {
    fields: [{ path: `/${parameter}`, message }],
  });
}
