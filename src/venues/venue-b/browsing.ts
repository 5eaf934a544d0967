import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ListingPage,
  MarketDirectory,
  MarketEvent,
  MarketQuery,
} from '../../ports/catalogue.ts';
import { createSharedQuestions } from '../../services/shared-questions.ts';
import { fillPage, type PageSource } from '../fill-page.ts';
import {
  earliestEnd,
  EVENT_FIGURES,
  isAscending,
  MARKET_FIGURES,
  orderedPage,
  type ListingSort,
} from '../listing-order.ts';
import {
  unknownFilter,
  type EventReads,
  type EventsSource,
  type ReadEvent,
} from './event-reads.ts';
import { isTicker, type Listing } from './listing.ts';
import { eventOf, listingOf, type ListedMarket } from './parse.ts';

/** The lists that people browse. */
export type BrowsingLists = Pick<MarketDirectory, 'markets' | 'events'>;

/** A market as a row of a list. */
interface MarketRow {
  readonly one: ListedMarket;
  readonly event: ReadEvent['wire'];
}

/** Events that were read to be ordered. */
interface Collected {
  readonly events: readonly ReadEvent[];
  /** False where the venue lists more. */
  readonly isWhole: boolean;
}

/**
 * Statuses that `state` means (venue_b.md section 6): of closed ones the last, where nearly all of
 * them are.
 */
const STATUS_OF = { active: 'active', closed: 'finalized' } as const;

/**
 * Creates the lists over pages of events, which hold their markets: so a market shows the same of
 * its event in every list. What the venue does not filter by is filtered before a page is cut.
 * What it does not order by is read whole, largest volume first, and ordered here.
 */
export function createBrowsingLists({
  events,
  listing,
  clock,
}: {
  readonly events: EventReads;
  readonly listing: Listing;
  readonly clock: Clock;
}): BrowsingLists {
  const collections = createSharedQuestions({
    clock,
    keptMs: VENUE_B.collectedKeptMs,
    keptMaximum: VENUE_B.collectionsMaximum,
  });

  const shown = ({ one, event }: MarketRow): MarketListing => listingOf(one, event, clock.nowMs());
  const shownEvent = ({ wire, markets }: ReadEvent): MarketEvent =>
    eventOf(
      wire,
      markets.map((one) => listingOf(one, wire, clock.nowMs())),
    );
  const fits = (query: MarketQuery): ((row: MarketRow) => boolean) => {
    const ends = isWithin(query, clock.nowMs());
    return ({ one, event }) =>
      isOfStatus(one, query) &&
      isOfSeries(event, query) &&
      (query.eventId === undefined || event.ticker === query.eventId) &&
      ends(one.market.endsAtMs);
  };
  const fitsEvent = (query: MarketQuery): ((event: ReadEvent) => boolean) => {
    const ends = isWithin(query, clock.nowMs());
    return ({ wire, markets }) =>
      isOfSeries(wire, query) &&
      (query.slug === undefined || wire.ticker === query.slug) &&
      markets.some((one) => isOfStatus(one, query)) &&
      (isAnyEnd(query) || ends(EVENT_FIGURES.ending(shownEvent({ wire, markets }))));
  };

  const collected = (source: EventsSource): Promise<Collected> =>
    collections(JSON.stringify(source), async () => {
      const found: ReadEvent[] = [];
      let cursor: string | null = null;
      for (let reads = 0; reads < VENUE_B.listReadsMaximum; reads += 1) {
        const page = await events.page(source, cursor, VENUE_B.eventsPageMaximum);
        found.push(...page.rows);
        cursor = page.nextCursor;
        if (cursor === null) return { events: found, isWhole: true };
      }
      return { events: found, isWhole: false };
    });

  function pagesOf<T>(
    source: EventsSource,
    rowsOf: (event: ReadEvent) => readonly T[],
    keep: (row: T) => boolean,
  ): PageSource<T> {
    return {
      readsMaximum: VENUE_B.listReadsMaximum,
      keep,
      async read(cursor, rowsWanted) {
        const limit = Math.min(rowsWanted, VENUE_B.eventsPageMaximum);
        const page = await events.page(source, cursor, limit);
        return { rows: page.rows.flatMap(rowsOf), nextCursor: page.nextCursor };
      },
    };
  }

  async function orderedMarkets(
    query: MarketQuery,
    { events: found, isWhole }: Collected,
    sort: ListingSort,
  ): Promise<ListingPage<MarketListing>> {
    // The venue counts the last day of an event, and of no market (venue_b.md section 8.1).
    const figureOf = (row: MarketRow): number =>
      sort === 'volume24h' ? row.event.volume24h : MARKET_FIGURES[sort](shown(row));
    const page = orderedPage(found.flatMap(marketRows).filter(fits(query)), query, {
      figureOf,
      nameOf: ({ one }) => one.market.marketId,
      ascending: isAscending(sort, query.state),
    });
    return { ...page, data: page.data.map(shown), ...(isWhole ? {} : { incomplete: true }) };
  }

  async function eventMarkets(
    query: MarketQuery,
    eventId: string,
  ): Promise<ListingPage<MarketListing>> {
    const event = await events.event(eventId);
    if (event === null) throw unknownFilter('eventId', 'no event of this venue');
    const words = query.search?.toLowerCase() ?? '';
    const found = marketRows(event).filter(({ one }) =>
      `${one.market.question} ${event.wire.title}`.toLowerCase().includes(words),
    );
    if (query.sort !== undefined) {
      const markets = found.map(({ one }) => one);
      const whole = { events: [{ wire: event.wire, markets }], isWhole: true };
      return orderedMarkets(query, whole, query.sort);
    }
    const source = {
      readsMaximum: 1,
      keep: fits(query),
      read: async () => ({ rows: found, nextCursor: null }),
    };
    return mapped(await fillPage(query, source), shown);
  }

  return {
    async markets(query) {
      const { slug, eventId, sort } = query;
      if (slug !== undefined) {
        const one = await listing.market(slug);
        const head = one === null ? null : await events.event(one.wire.eventTicker);
        const rows = one === null || head === null ? [] : [{ one, event: head.wire }];
        return { data: rows.filter(fits(query)).map(shown), nextCursor: null };
      }
      if (eventId !== undefined) return eventMarkets(query, eventId);
      const source = sourceOf(query);
      if (sort === undefined)
        return mapped(await fillPage(query, pagesOf(source, marketRows, fits(query))), shown);
      return orderedMarkets(query, await collected({ ...source, sort: 'volume' }), sort);
    },
    async events(query) {
      const { sort } = query;
      const source = sourceOf(query);
      const isVenueOrder =
        sort === undefined ||
        (query.search === undefined && (sort === 'volume' || sort === 'volume24h'));
      if (isVenueOrder) {
        const own = sort === 'volume' || sort === 'volume24h' ? { ...source, sort } : source;
        const pages = pagesOf(own, (event) => [event], fitsEvent(query));
        return mapped(await fillPage(query, pages), shownEvent);
      }
      const { events: found, isWhole } = await collected({ ...source, sort: 'volume' });
      const page = orderedPage(found.filter(fitsEvent(query)).map(shownEvent), query, {
        figureOf: EVENT_FIGURES[sort],
        nameOf: ({ eventId }) => eventId,
        ascending: isAscending(sort, query.state),
      });
      return { ...page, ...(isWhole ? {} : { incomplete: true }) };
    },
  };
}

function marketRows({ wire, markets }: ReadEvent): readonly MarketRow[] {
  return markets.map((one) => ({ one, event: wire }));
}

/** Errors: `invalid_request` for a series that can be none. */
function sourceOf({ search, seriesId, series = seriesId, ...query }: MarketQuery): EventsSource {
  if (series !== undefined && !isTicker(series))
    throw unknownFilter('series', 'no series of this venue');
  const { status, state = 'active' } = query;
  return { search, series, status: status ?? STATUS_OF[state] };
}

/** Where no status is asked for, closed ones are all that trade no more. */
function isOfStatus(
  { status, market }: ListedMarket,
  { status: asked, state = 'active' }: MarketQuery,
): boolean {
  if (asked !== undefined) return status === asked;
  return state === 'closed' ? market.closed : status === STATUS_OF.active;
}

function isOfSeries(
  { seriesTicker }: ReadEvent['wire'],
  { seriesId, series = seriesId }: MarketQuery,
): boolean {
  return series === undefined || seriesTicker === series;
}

function isAnyEnd({ endsAfterMs, endsBeforeMs, sort }: MarketQuery): boolean {
  return endsAfterMs === undefined && endsBeforeMs === undefined && sort !== 'ending';
}

function isWithin(query: MarketQuery, nowMs: number): (endsAtMs: number) => boolean {
  const after = earliestEnd(query, nowMs);
  return (endsAtMs) =>
    (after === undefined || endsAtMs >= after) &&
    (query.endsBeforeMs === undefined || endsAtMs <= query.endsBeforeMs);
}

function mapped<From, To>(page: ListingPage<From>, shown: (row: From) => To): ListingPage<To> {
  return { ...page, data: page.data.map(shown) };
}
