import { AppError } from '../domain/errors.ts';
import type { ListingPage, PageQuery } from '../ports/catalogue.ts';

/** A page as the venue cuts it: its rows before any filter of this service. */
export interface SourcePage<T> {
  readonly rows: readonly T[];
  /** Null behind the last page. */
  readonly nextCursor: string | null;
}

/** A list of the venue's, read page by page. */
export interface PageSource<T> {
  /**
   * Reads a page from a cursor of the venue's, null for the first. `rowsWanted` is how many rows
   * are of use, all there are once some were not kept; how many it gives is the source's choice.
   */
  readonly read: (cursor: string | null, rowsWanted: number) => Promise<SourcePage<T>>;
  /** What the venue does not filter by. */
  readonly keep: (row: T) => boolean;
  /** Pages read for one answer at most. */
  readonly readsMaximum: number;
}

/** A row that is `skip` rows behind a cursor of the venue's. */
interface Place {
  readonly cursor: string | null;
  readonly skip: number;
}

const PLACE = /^(\d{1,6})\.(.*)$/s;

/**
 * Fills a page with the rows that are kept, and looks one row further: a page is full, or the list
 * is over. Where the most pages were read before that, the answer is `incomplete` and its cursor
 * goes on behind them. Errors: `invalid_request` for a cursor of another list.
 */
export async function fillPage<T>(
  { limit, cursor }: PageQuery,
  { read, keep, readsMaximum }: PageSource<T>,
): Promise<ListingPage<T>> {
  const data: T[] = [];
  let place = placeOf(cursor);
  let isSparse = false;
  for (let reads = 0; reads < readsMaximum; reads += 1) {
    const needed = place.skip + limit - data.length + 1;
    const page = await read(place.cursor, isSparse ? Number.MAX_SAFE_INTEGER : needed);
    for (const [index, row] of page.rows.entries()) {
      if (index < place.skip) continue;
      if (!keep(row)) {
        isSparse = true;
        continue;
      }
      if (data.length === limit)
        return { data, nextCursor: textOf({ cursor: place.cursor, skip: index }) };
      data.push(row);
    }
    if (page.nextCursor === null) return { data, nextCursor: null };
    // A page may be shorter than the one that the place was counted in.
    place = { cursor: page.nextCursor, skip: Math.max(0, place.skip - page.rows.length) };
  }
  return {
    data,
    nextCursor: textOf(place),
    ...(data.length < limit ? { incomplete: true } : {}),
  };
}

function textOf({ cursor, skip }: Place): string {
  return `${skip}.${cursor ?? ''}`;
}

function placeOf(text: string | null): Place {
  if (text === null) return { cursor: null, skip: 0 };
  const [, skip, cursor] = PLACE.exec(text) ?? [];
  if (skip === undefined || cursor === undefined)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list', {
      fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
    });
  return { cursor: cursor === '' ? null : cursor, skip: Number(skip) };
}
