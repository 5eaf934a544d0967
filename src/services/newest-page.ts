import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Page, PageQuery } from '../ports/catalogue.ts';
import type { Key, StoreReader, Table } from '../ports/store.ts';

/**
 * Returns one page of a user's rows, newest first, of a table by [userId, id] whose ids are in the
 * order of their making; a cursor is the id of the last row of the page before. Errors:
 * `invalid_request` for an invalid cursor.
 */
export function newestPage<Row>(
  reader: StoreReader,
  table: Table<Row>,
  userId: UserId,
  { limit, cursor }: PageQuery,
): Page<Row> {
  if (cursor !== null && reader.get(table, [userId, cursor]) === null) throw invalidCursor();
  return pageAfter(reader, table, userId, {
    limit,
    after: cursor === null ? null : [userId, cursor],
  });
}

/** The same of a table by [userId, ..., id], from the key of the last row of the page before. */
export function pageAfter<Row>(
  reader: StoreReader,
  table: Table<Row>,
  userId: UserId,
  { limit, after }: { readonly limit: number; readonly after: Key | null },
): Page<Row> {
  const rows = reader.range(table, {
    prefix: [userId],
    reverse: true,
    limit: limit + 1,
    ...(after === null ? {} : { after }),
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.key.at(-1) : undefined;
  return {
    data: shown.map(({ value }) => value),
    nextCursor: last === undefined ? null : String(last),
  };
}

/** Says that a cursor was not given out by this list. */
export function invalidCursor(): AppError {
  return new AppError('invalid_request', 'cursor: not a cursor of this list', {
    fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
  });
}
