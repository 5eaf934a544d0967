import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ListingPage,
  MarketDirectory,
  MarketEvent,
  MarketQuery,
} from '../../ports/catalogue.ts';
import { createSharedQuestions } from '../../services/shared-questions.ts';
import { fillPage } from '../fill-page.ts';
import {
  earliestEnd,
  EVENT_FIGURES,
  isAscending,
  MARKET_FIGURES,
  orderedPage,
  type ListingSort,
} from '../listing-order.ts';
import type { ListedEntry, Listing, ListSource } from './listing.ts';
import { eventOf, listingOf } from './parse.ts';

/** The venue's own order for ours: the rows that matter come first where not all are read. */
const SORT_BY: Readonly<Record<ListingSort, NonNullable<ListSource['sortBy']>>> = {
  volume: 'high_value',
  volume24h: 'high_value',
  ending: 'ending_soon',
  newest: 'newest',
};

interface Collected<Row> {
  readonly rows: readonly Row[];
  /** False where the venue lists more. */
  readonly isWhole: boolean;
}

/**
 * Creates the lists. The venue lists what is active alone: of what has ended a list is empty, and a
 * market is read by its slug. It filters by words alone; the rest is filtered before a page is cut.
 * What is to be ordered is read whole, as far as `listReadsMaximum` goes, and ordered here.
 */
export function createBrowsingLists({
  listing,
  clock,
}: {
  readonly listing: Listing;
  readonly clock: Clock;
}): Pick<MarketDirectory, 'markets' | 'events'> {
  const collections = createSharedQuestions({
    clock,
    keptMs: VENUE_C.collectedKeptMs,
    keptMaximum: VENUE_C.collectionsMaximum,
  });
  const shown = (entry: ListedEntry): readonly MarketListing[] =>
    entry.markets.map((one) => listingOf(one, clock.nowMs()));
  const shownEvent = ({ group, markets: [first, ...others] }: ListedEntry): MarketEvent => {
    const nowMs = clock.nowMs();
    return eventOf(group, [listingOf(first, nowMs), ...others.map((one) => listingOf(one, nowMs))]);
  };

  const collected = (source: ListSource): Promise<Collected<ListedEntry>> =>
    collections(JSON.stringify(source), async () => {
      const rows: ListedEntry[] = [];
      let cursor: string | null = null;
      for (let reads = 0; reads < VENUE_C.listReadsMaximum; reads += 1) {
        const page = await listing.page(source, cursor);
        rows.push(...page.rows);
        cursor = page.nextCursor;
        if (cursor === null) return { rows, isWhole: true };
      }
      return { rows, isWhole: false };
    });

  /** A page of what entries of a list are shown as. */
  async function listed<Row>(
    query: MarketQuery,
    view: {
      readonly rowsOf: (entry: ListedEntry) => readonly Row[];
      readonly keep: (row: Row) => boolean;
      readonly figureOf: (row: Row, sort: ListingSort) => number;
      readonly nameOf: (row: Row) => string;
    },
  ): Promise<ListingPage<Row>> {
    const { search, sort, state } = query;
    // the venue lists none of those that have ended
    if (state === 'closed') return { data: [], nextCursor: null, incomplete: true };
    const { rowsOf, keep, figureOf, nameOf } = view;
    if (sort === undefined)
      return fillPage(query, {
        readsMaximum: VENUE_C.listReadsMaximum,
        keep,
        async read(cursor) {
          const page = await listing.page({ search, sortBy: undefined }, cursor);
          return { rows: page.rows.flatMap(rowsOf), nextCursor: page.nextCursor };
        },
      });
    const { rows, isWhole } = await collected({ search, sortBy: SORT_BY[sort] });
    const page = orderedPage(rows.flatMap(rowsOf).filter(keep), query, {
      figureOf: (row) => figureOf(row, sort),
      nameOf,
      ascending: isAscending(sort, query.state),
    });
    return { ...page, ...(isWhole ? {} : { incomplete: true }) };
  }

  return {
    async markets(query) {
      const keep = fits(query, clock.nowMs());
      const named = query.slug ?? query.eventId;
      if (named !== undefined) {
        const entry = await listing.entry(named);
        if (entry === null && query.slug === undefined)
          throw unknownFilter('eventId', 'no event of this venue');
        const rows = entry === null ? [] : shown(entry);
        return fillPage(query, {
          readsMaximum: 1,
          keep: (row) => keep(row) && [undefined, row.market.slug].includes(query.slug),
          read: () => Promise.resolve({ rows, nextCursor: null }),
        });
      }
      return listed(query, {
        rowsOf: shown,
        keep,
        figureOf: (row, sort) => MARKET_FIGURES[sort](row),
        nameOf: ({ market }) => market.marketId,
      });
    },
    events: async (query) => {
      const keep = fits(query, clock.nowMs());
      return listed(query, {
        rowsOf: (entry) => [shownEvent(entry)],
        keep: ({ slug, markets }) =>
          (query.slug === undefined || query.slug === slug) && markets.some(keep),
        figureOf: (row, sort) => EVENT_FIGURES[sort](row),
        nameOf: ({ eventId }) => eventId,
      });
    },
  };
}

/** Errors: `invalid_request` for a series: the venue has none. */
function fits(query: MarketQuery, nowMs: number): (row: MarketListing) => boolean {
  const { series, seriesId, status, tag, state = 'active', endsBeforeMs } = query;
  if (series !== undefined || seriesId !== undefined)
    throw unknownFilter('series', 'this venue has no series');
  if (status !== undefined) throw unknownFilter('status', 'this venue lists active markets alone');
  const after = earliestEnd(query, nowMs);
  return ({ market, tags }) =>
    market.closed === (state === 'closed') &&
    (tag === undefined || tags.some(({ slug }) => slug === tag)) &&
    (after === undefined || market.endsAtMs >= after) &&
    (endsBeforeMs === undefined || market.endsAtMs <= endsBeforeMs);
}

function unknownFilter(name: string, message: string): AppError {
  return new AppError('invalid_request', `${name}: ${message}`, {
    fields: [{ path: `/${name}`, message }],
  });
}
