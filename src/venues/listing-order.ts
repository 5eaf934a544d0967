import { AppError } from '../domain/errors.ts';
import type { MarketListing } from '../domain/market-listing.ts';
import type { ListingPage, MarketEvent, MarketQuery } from '../ports/catalogue.ts';

/** An order of lists. */
export type ListingSort = NonNullable<MarketQuery['sort']>;

/** The figure of a market that it is ordered by. */
export const MARKET_FIGURES: Readonly<Record<ListingSort, (listing: MarketListing) => number>> = {
  volume: ({ market }) => market.volumeUsd,
  volume24h: ({ volume24hUsd }) => volume24hUsd ?? 0,
  ending: ({ market }) => market.endsAtMs,
  newest: ({ opensAtMs }) => opensAtMs ?? 0,
};

/** The figure of an event that it is ordered by; without an end it ends last. */
export const EVENT_FIGURES: Readonly<Record<ListingSort, (event: MarketEvent) => number>> = {
  volume: ({ volumeUsd }) => volumeUsd,
  volume24h: ({ volume24hUsd }) => volume24hUsd ?? 0,
  ending: ({ endsAtMs }) => endsAtMs ?? Number.MAX_SAFE_INTEGER,
  newest: ({ startsAtMs }) => startsAtMs ?? 0,
};

/** Reports whether the smallest figure comes first: only what ends next does. */
export function isAscending(sort: ListingSort, state: MarketQuery['state']): boolean {
  return sort === 'ending' && state !== 'closed';
}

/**
 * Returns when what is listed ends at the earliest. What ends next is still to end: markets past
 * their end wait for their result, some for long.
 */
export function earliestEnd(
  { endsAfterMs, sort, state }: Pick<MarketQuery, 'endsAfterMs' | 'sort' | 'state'>,
  nowMs: number,
): number | undefined {
  return endsAfterMs ?? (sort === 'ending' && state !== 'closed' ? nowMs : undefined);
}

/** How rows are ordered and distinguished. */
export interface RowOrder<T> {
  readonly figureOf: (row: T) => number;
  /** Unique: rows of one figure are ordered by it. */
  readonly nameOf: (row: T) => string;
  readonly ascending: boolean;
}

const PLACE = /^(\d+(?:\.\d+)?)~(.{1,200})$/s;

/**
 * Returns the page of ordered rows that lies behind a cursor, which names the last row given: rows
 * that come or go meanwhile shift nothing. Errors: `invalid_request` for a cursor of another list.
 */
export function orderedPage<T>(
  rows: readonly T[],
  { limit, cursor }: Pick<MarketQuery, 'limit' | 'cursor'>,
  { figureOf, nameOf, ascending }: RowOrder<T>,
): ListingPage<T> {
  const direction = ascending ? 1 : -1;
  const compare = (one: Place, other: Place): number =>
    direction * (one.figure - other.figure) ||
    (one.name < other.name ? -1 : Number(one.name > other.name));
  const after = cursor === null ? null : placeOf(cursor);
  const left = rows
    .map((row) => ({ row, place: { figure: figureOf(row), name: nameOf(row) } }))
    .filter(({ place }) => after === null || compare(place, after) > 0)
    .sort((one, other) => compare(one.place, other.place));
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(({ row }) => row),
    nextCursor:
      last === undefined || left.length <= limit ? null : `${last.place.figure}~${last.place.name}`,
  };
}

interface Place {
  readonly figure: number;
  readonly name: string;
}

function placeOf(cursor: string): Place {
  const [, figure, name] = PLACE.exec(cursor) ?? [];
  if (figure === undefined || name === undefined)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list', {
      fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
    });
  return { figure: Number(figure), name };
}
