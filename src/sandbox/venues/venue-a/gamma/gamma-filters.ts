import type { Listing } from '../../../engine/listing.ts';
import { isWithin, valuesOf, type QueryRow } from './gamma-query.ts';
import { endingOf, type GammaView } from './gamma-shapes.ts';

/** An event with its listings, as lists filter and sort it. */
export interface EventRow extends QueryRow {
  readonly listings: readonly [Listing, ...Listing[]];
}

/** Reports whether a list of markets that was asked for so holds this one. */
export function wantsMarket(query: URLSearchParams, listing: Listing, view: GammaView): boolean {
  const { market, event } = listing;
  const one = (name: string, ...own: readonly string[]) => isAmong(valuesOf(query, name), own);
  return (
    isClosedAsAsked(query, endingOf(listing, view) !== null) &&
    one('id', listing.listingId) &&
    one('slug', market.slug) &&
    one('condition_ids', market.marketId) &&
    one('question_ids', listing.questionId) &&
    one('clob_token_ids', ...market.tokens) &&
    one('tag_id', ...event.tags.map(({ id }) => id)) &&
    isWithin(query, 'end_date', market.endsAtMs) &&
    isWithin(query, 'start_date', listing.listedAtMs) &&
    isWithin(query, 'liquidity_num', view.figures(listing).liquidityUsd) &&
    isWithin(query, 'volume_num', view.figures(listing).volumeUsd)
  );
}

/** Reports whether a list of events that was asked for so holds this one. */
export function wantsEvent(
  query: URLSearchParams,
  { id, listings }: EventRow,
  view: GammaView,
): boolean {
  const [{ event, window, market, listedAtMs }] = listings;
  const one = (name: string, ...own: readonly string[]) => isAmong(valuesOf(query, name), own);
  return (
    isClosedAsAsked(
      query,
      listings.every((listing) => endingOf(listing, view) !== null),
    ) &&
    one('id', id) &&
    one('slug', event.slug) &&
    one('series_id', window?.series.seriesId ?? '') &&
    one('series_slug', window?.series.seriesSlug ?? '') &&
    one('tag_id', ...event.tags.map((tag) => tag.id)) &&
    one('tag_slug', ...event.tags.map(({ slug }) => slug)) &&
    one('recurrence', window === null ? '' : `${window.series.minutes}m`) &&
    query.get('featured') !== 'true' &&
    query.get('live') !== 'true' &&
    isWithin(query, 'start_time', window?.startsAtMs ?? listedAtMs) &&
    isWithin(query, 'end_date', market.endsAtMs) &&
    isWithin(query, 'start_date', listedAtMs)
  );
}

/** Whatever was not asked for is no condition, also of what has no value of that kind. */
function isAmong(asked: readonly string[] | null, own: readonly string[]): boolean {
  return asked === null || own.some((value) => asked.includes(value));
}

/** Closed ones are left out unless they are asked for. */
function isClosedAsAsked(query: URLSearchParams, isClosed: boolean): boolean {
  return isClosed === (query.get('closed') === 'true');
}

/** Returns what lists may sort a row of these listings by. */
export function sortKeys(
  listings: readonly Listing[],
  id: string,
  view: GammaView,
): QueryRow['sort'] {
  const figures = listings.map((listing) => view.figures(listing));
  const sum = (pick: 'volumeUsd' | 'volume24hUsd' | 'liquidityUsd') =>
    figures.reduce((total, one) => total + one[pick], 0);
  const [first] = listings;
  const [volume, liquidity, startDate] = [
    sum('volumeUsd'),
    sum('liquidityUsd'),
    first?.listedAtMs ?? 0,
  ];
  return {
    id: Number(id),
    endDate: first?.market.endsAtMs ?? 0,
    startDate,
    createdAt: startDate,
    startTime: first?.window?.startsAtMs ?? startDate,
    closedTime: first?.ending?.atMs ?? 0,
    volume,
    volumeNum: volume,
    volume24hr: sum('volume24hUsd'),
    liquidity,
    liquidityNum: liquidity,
    competitive: 1,
  };
}
