import { z } from 'zod';
import { LISTING } from '../../../config/limits/listing.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketDirectory, MarketEvent, MarketQuery, Page } from '../../ports/venue.ts';
import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import type { VenueClient } from './client.ts';
import {
  PAGE_MAXIMUM,
  checked,
  discovery,
  discoveryPage,
  foreignCursor,
  listedMarket,
  offsetOf,
  type DiscoveryQuery,
} from './discovery-calls.ts';
import { parseListedEvent, readListedEvent, readListing } from './gamma-listing.ts';
import {
  eventPageSchema,
  marketPageSchema,
  searchSchema,
  seriesListSchema,
} from './gamma-schema.ts';
import type { NoteMarket } from './refused-markets.ts';

/** What browsing is made of. */
export interface BrowsingParts {
  readonly client: VenueClient;
  readonly clock: Clock;
  /** Hears of each market that is listed. */
  readonly note?: NoteMarket;
}

/** The part of the directory that people browse. */
export type Browsing = Pick<MarketDirectory, 'markets' | 'events' | 'event' | 'series' | 'listing'>;

const SERIES_PAGE_MAXIMUM = 50;
const CONDITION_ID = /^0x[0-9a-f]{64}$/;
/** An id of the venue's catalogue: it travels in a path, where anything else cannot be one. */
const CATALOGUE_ID = /^[0-9]{1,20}$/;
const SLUG = /^[0-9A-Za-z_-]{1,200}$/;

type Sort = NonNullable<MarketQuery['sort']>;
const MARKET_ORDER: Readonly<Record<Sort, string>> = {
  volume: 'volumeNum',
  volume24h: 'volume24hr',
  ending: 'endDate',
  newest: 'startDate',
};
const EVENT_ORDER: Readonly<Record<Sort, string>> = {
  volume: 'volume',
  volume24h: 'volume24hr',
  ending: 'endDate',
  newest: 'startDate',
};
const SEARCH_ORDER: Readonly<Record<Sort, string>> = {
  volume: 'volume',
  volume24h: 'volume_24hr',
  ending: 'end_date',
  newest: 'start_date',
};

const named = z.object({ id: z.string() });

/**
 * Makes browsing over the discovery interface. A list costs one call, one more where a tag or a
 * series is named that has not been looked up before. What the venue cannot filter by is left out
 * here, page by page: such a page may be short.
 */
export function createBrowsing({ client, clock, note }: BrowsingParts): Browsing {
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
    limitMaximum: number,
    order: Readonly<Record<Sort, string>>,
  ): Promise<DiscoveryQuery> {
    const { limit, cursor, state, slug, tag, sort } = query;
    return {
      limit: String(Math.min(limit, limitMaximum)),
      after_cursor: cursor ?? undefined,
      closed: String(state === 'closed'),
      slug,
      tag_id: tag === undefined ? undefined : await idOf('tag', tag),
      end_date_min: isoOf(endsAfter(query, clock.nowMs())),
      end_date_max: isoOf(query.endsBeforeMs),
      order: sort === undefined ? undefined : order[sort],
      ascending: sort === undefined ? undefined : String(isAscending(sort, state)),
    };
  }

  async function listEvents(query: MarketQuery): Promise<Page<MarketEvent>> {
    const seriesId =
      query.seriesId ??
      (query.series === undefined ? undefined : await idOf('series', query.series));
    const page = checked(
      eventPageSchema,
      await discoveryPage(client, '/events/keyset', {
        ...(await keyset(query, LISTING.eventsPageMaximum, EVENT_ORDER)),
        series_id: seriesId,
      }),
      'a page of events',
    );
    return {
      data: page.events.flatMap((row) => notedEvent(readListedEvent(row)) ?? []),
      nextCursor: page.next_cursor || null,
    };
  }

  async function listMarkets(query: MarketQuery): Promise<Page<MarketListing>> {
    const page = checked(
      marketPageSchema,
      await discoveryPage(client, '/markets/keyset', {
        ...(await keyset(query, PAGE_MAXIMUM, MARKET_ORDER)),
        include_tag: 'true',
      }),
      'a page of markets',
    );
    return {
      data: page.markets.flatMap((row) => noted(readListing(row)) ?? []),
      nextCursor: page.next_cursor || null,
    };
  }

  async function searchEvents(query: MarketQuery): Promise<Page<MarketEvent>> {
    const pageNumber = offsetOf(query.cursor) + 1;
    const { sort } = query;
    const answer = checked(
      searchSchema,
      await discovery(client, '/public-search', {
        q: query.search,
        limit_per_type: String(Math.min(query.limit, LISTING.eventsPageMaximum)),
        page: String(pageNumber),
        events_status: query.state === 'closed' ? 'resolved' : 'active',
        sort: sort === undefined ? undefined : SEARCH_ORDER[sort],
        ascending: sort === undefined ? undefined : String(isAscending(sort, query.state)),
      }),
      'a search answer',
    );
    return {
      data: (answer.events ?? []).flatMap((row) => notedEvent(readListedEvent(row)) ?? []),
      nextCursor: answer.pagination?.hasMore === true ? String(pageNumber) : null,
    };
  }

  async function event(eventId: string): Promise<MarketEvent | null> {
    if (!CATALOGUE_ID.test(eventId)) return null;
    const value = await discovery(client, `/events/${eventId}`);
    return value === null ? null : notedEvent(parseListedEvent(value));
  }

  async function eventMarkets(query: MarketQuery, eventId: string): Promise<Page<MarketListing>> {
    const found = await event(eventId);
    if (found === null) throw unknownName('eventId', 'the venue has no such event');
    const markets = sorted(found.markets.filter(fits(query, clock.nowMs())), query);
    const from = offsetOf(query.cursor);
    const until = from + query.limit;
    return {
      data: markets.slice(from, until),
      nextCursor: until < markets.length ? String(until) : null,
    };
  }

  return {
    event,
    async markets(query) {
      const { search, eventId, series, seriesId, ...rest } = query;
      if (search !== undefined) return marketsOf(query, clock.nowMs(), searchEvents);
      if (eventId !== undefined) return eventMarkets(query, eventId);
      // Markets cannot be asked for by series, events can; which series they are of is settled by
      // that.
      if (series !== undefined || seriesId !== undefined)
        return marketsOf(rest, clock.nowMs(), (page) =>
          listEvents({ ...page, slug: undefined, series, seriesId }),
        );
      return listMarkets(query);
    },
    async events(query) {
      if (query.search === undefined) return listEvents(query);
      const page = await searchEvents(query);
      return { ...page, data: page.data.filter(fitsAsEvent(query, clock.nowMs())) };
    },
    async series(query) {
      const offset = offsetOf(query.cursor);
      const limit = Math.min(query.limit, SERIES_PAGE_MAXIMUM);
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
        data: rows.map(({ id, slug, title, recurrence }) => ({
          seriesId: id,
          slug: slug ?? '',
          title: title ?? '',
          recurrence: recurrence ?? '',
        })),
        nextCursor: rows.length < limit ? null : String(offset + rows.length),
      };
    },
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

/**
 * The venue pages by events, of which each may have many markets: the cursor says how many markets
 * of a page of events have been given, and which page.
 */
async function marketsOf(
  query: MarketQuery,
  nowMs: number,
  pageOf: (query: MarketQuery) => Promise<Page<MarketEvent>>,
): Promise<Page<MarketListing>> {
  const cursor = query.cursor ?? '0.';
  const cut = cursor.indexOf('.');
  if (cut < 0) throw foreignCursor();
  const pageCursor = cursor.slice(cut + 1);
  const from = offsetOf(cursor.slice(0, cut));
  const events = await pageOf({ ...query, cursor: pageCursor === '' ? null : pageCursor });
  const markets = events.data.flatMap((event) => event.markets).filter(fits(query, nowMs));
  const until = from + query.limit;
  const isMoreHere = until < markets.length;
  return {
    data: markets.slice(from, until),
    nextCursor: isMoreHere
      ? `${until}.${pageCursor}`
      : events.nextCursor === null
        ? null
        : `0.${events.nextCursor}`,
  };
}

/** Reports whether a market is one that was asked for: where the venue cannot say so. */
function fits(query: MarketQuery, nowMs: number): (listing: MarketListing) => boolean {
  const after = endsAfter(query, nowMs);
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
  const after = endsAfter(query, nowMs);
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

/** What ends next is still to end: markets past their end wait for their result, some for long. */
function endsAfter({ endsAfterMs, sort, state }: MarketQuery, nowMs: number): number | undefined {
  return endsAfterMs ?? (sort === 'ending' && state !== 'closed' ? nowMs : undefined);
}

function isAscending(sort: Sort, state: MarketQuery['state']): boolean {
  return sort === 'ending' && state !== 'closed';
}

function sorted(
  listings: readonly MarketListing[],
  { sort, state }: MarketQuery,
): readonly MarketListing[] {
  if (sort === undefined) return listings;
  const by: Readonly<Record<Sort, (listing: MarketListing) => number>> = {
    volume: ({ market }) => market.volumeUsd,
    volume24h: ({ volume24hUsd }) => volume24hUsd ?? 0,
    ending: ({ market }) => market.endsAtMs,
    newest: ({ opensAtMs }) => opensAtMs ?? 0,
  };
  const direction = isAscending(sort, state) ? 1 : -1;
  return listings.toSorted((a, b) => direction * (by[sort](a) - by[sort](b)));
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}

function unknownName(parameter: 'tag' | 'series' | 'eventId', message: string): AppError {
  return new AppError('invalid_request', `${parameter}: ${message}`, {
    fields: [{ path: `/${parameter}`, message }],
  });
}
