import { createHash } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { RawInput } from './route-input.ts';

/** Characters of a list's mark: 66 bits, so that no two lists have one. */
const MARK_CHARS = 11;
const MESSAGE = 'must be the nextCursor of the page before, of this list and with the same filters';

/** A page's input with the cursor as the list itself gave it, and the way to mark the next one. */
export interface BoundCursor {
  readonly input: RawInput;
  /** The same answer with its `nextCursor` marked. */
  mark(answer: unknown): unknown;
}

/**
 * Binds cursors to the list they were given out by: a call's name, whose it is, its path and its
 * filters, but not `limit`. A cursor of another list would be read there as a place in it, and
 * pages would silently begin anywhere. Errors: `invalid_request` at `/query/cursor`.
 */
export function bindCursor(
  operationId: string,
  input: RawInput,
  userId: UserId | null,
): BoundCursor {
  const { cursor, limit: _pageSize, ...filters } = input.query;
  const mark = createHash('sha256')
    .update(JSON.stringify([operationId, userId, entries(input.params), entries(filters)]))
    .digest('base64url')
    .slice(0, MARK_CHARS);
  return {
    input:
      cursor === undefined
        ? input
        : { ...input, query: { ...input.query, cursor: unmarked(cursor, mark) } },
    mark: (answer) =>
      hasCursor(answer) ? { ...answer, nextCursor: `${mark}.${answer.nextCursor}` } : answer,
  };
}

function unmarked(cursor: string, mark: string): string {
  if (cursor.length > mark.length + 1 && cursor.startsWith(`${mark}.`))
    return cursor.slice(mark.length + 1);
  throw new AppError('invalid_request', `cursor ${MESSAGE}`, {
    fields: [{ path: '/query/cursor', message: MESSAGE }],
  });
}

function hasCursor(answer: unknown): answer is { readonly nextCursor: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'nextCursor' in answer &&
    typeof answer.nextCursor === 'string'
  );
}

function entries(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
