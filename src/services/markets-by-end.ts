import { asId, type VenueId } from '../domain/ids.ts';
import type { ListingPage } from '../ports/catalogue.ts';
import type { PricedListing } from './markets.ts';

/** The last row that was given of a page of a venue. */
interface GivenRow {
  readonly marketId: string;
  readonly endsAtMs: number;
}

/**
 * A venue that may have more: its page begins at `cursor`, and what is behind `given` in it was
 * given to no page so far. A venue cuts its pages elsewhere than the list of all does.
 */
interface PlaceByEnd {
  readonly venue: VenueId;
  readonly cursor: string | null;
  readonly given: GivenRow | null;
}

/** A page over all venues, and where the next one begins at each that may have more. */
export interface PageByEnd {
  readonly data: readonly PricedListing[];
  readonly places: readonly PlaceByEnd[];
  readonly isIncomplete: boolean;
}

interface Line {
  readonly venue: VenueId;
  cursor: string | null;
  given: GivenRow | null;
  rows: readonly PricedListing[];
  /** Where the venue's next page begins; undefined before the first was read. */
  nextCursor: string | null | undefined;
  /** True where the venue is asked no more for this page: it did not answer, or has to read on. */
  isPaused: boolean;
}

/**
 * Merges the lists of venues, each ordered by its ends, into one page of that order. A venue is
 * asked again once all of its page was given, so that no sooner end of its own comes too late.
 */
export async function pageByEnd(
  places: readonly PlaceByEnd[],
  {
    limit,
    direction,
    read,
  }: {
    readonly limit: number;
    /** 1 where the soonest end comes first, −1 where the latest does. */
    readonly direction: 1 | -1;
    /** Reads a page of a venue in that order; null of one that does not answer. */
    read(venue: VenueId, cursor: string | null): Promise<ListingPage<PricedListing> | null>;
  },
): Promise<PageByEnd> {
  const lines = places.map(
    (place): Line => ({ ...place, rows: [], nextCursor: undefined, isPaused: false }),
  );
  let isIncomplete = false;

  async function refill(line: Line): Promise<void> {
    if (line.nextCursor !== undefined) {
      line.cursor = line.nextCursor;
      line.given = null;
    }
    const page = await read(line.venue, line.cursor);
    line.isPaused = page === null || page.incomplete === true;
    if (page === null) return;
    isIncomplete ||= page.incomplete ?? false;
    line.rows = behind(page.data, line.given, direction);
    line.nextCursor = page.nextCursor;
  }

  const data: PricedListing[] = [];
  while (data.length < limit) {
    await Promise.all(lines.filter(isEmptied).map(refill));
    // a page of which all was given before has its next one asked for
    if (lines.some(isEmptied)) continue;
    const next = soonest(lines, direction);
    const row = next?.rows[0];
    if (next === undefined || row === undefined) break;
    next.rows = next.rows.slice(1);
    const { marketId, endsAtMs } = row.listing.market;
    next.given = { marketId, endsAtMs };
    data.push(row);
  }
  return { data, places: lines.flatMap(placesLeft), isIncomplete };
}

/** Writes a place as a cursor holds it. */
export function placeText({ venue, cursor, given }: PlaceByEnd): readonly unknown[] {
  return given === null ? [venue, cursor] : [venue, cursor, given.marketId, given.endsAtMs];
}

/** Reads a place of a cursor; null without one. */
export function placeByEnd(value: unknown): PlaceByEnd | null {
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 4)) return null;
  const [name, cursor, marketId, endsAtMs]: readonly unknown[] = value;
  if (typeof name !== 'string' || !(cursor === null || typeof cursor === 'string')) return null;
  const venue = asId<VenueId>(name);
  if (value.length === 2) return { venue, cursor, given: null };
  return typeof marketId === 'string' && typeof endsAtMs === 'number'
    ? { venue, cursor, given: { marketId, endsAtMs } }
    : null;
}

function isEmptied({ rows, nextCursor, isPaused }: Line): boolean {
  return rows.length === 0 && nextCursor !== null && !isPaused;
}

/** Rows behind the last one given; where that is gone, those that end no sooner. */
function behind(
  rows: readonly PricedListing[],
  given: GivenRow | null,
  direction: 1 | -1,
): readonly PricedListing[] {
  if (given === null) return rows;
  const at = rows.findIndex(({ listing: { market } }) => market.marketId === given.marketId);
  return at >= 0
    ? rows.slice(at + 1)
    : rows.filter(({ listing: { market } }) => direction * (market.endsAtMs - given.endsAtMs) >= 0);
}

/** The venue whose first row comes first; of equal ends the one that is shown first. */
function soonest(lines: readonly Line[], direction: 1 | -1): Line | undefined {
  const endOf = ({ rows }: Line): number => rows[0]?.listing.market.endsAtMs ?? 0;
  return lines
    .filter(({ rows }) => rows.length > 0)
    .toSorted((one, other) => direction * (endOf(one) - endOf(other)))
    .at(0);
}

function placesLeft({ venue, cursor, given, rows, nextCursor }: Line): readonly PlaceByEnd[] {
  if (nextCursor === undefined || rows.length > 0) return [{ venue, cursor, given }];
  return nextCursor === null ? [] : [{ venue, cursor: nextCursor, given: null }];
}
