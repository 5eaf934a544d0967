import type { Key, StoreReader, Table, Versioned } from '../ports/store.ts';

/** Records read from the store at once. */
const READ_AHEAD = 64;

/** Which records: those below `prefix`, and with `start` only those before that key. */
export interface NewestFirst {
  readonly prefix: Key;
  readonly start: Key | null;
}

/**
 * Reads a range from its last key to its first, a few records at a time, so that a page costs a
 * page.
 */
export function* newestFirst<T>(
  store: StoreReader,
  table: Table<T>,
  { prefix, start }: NewestFirst,
): Generator<Versioned<T>> {
  let after = start;
  for (;;) {
    const records = store.range(table, {
      prefix,
      reverse: true,
      limit: READ_AHEAD,
      ...(after === null ? {} : { after }),
    });
    yield* records;
    const last = records.at(-1);
    if (last === undefined || records.length < READ_AHEAD) return;
    after = last.key;
  }
}

/** Merges lists that each run from new to old into one; `isNewer` compares two of their entries. */
export function* mergedNewestFirst<T>(
  lists: readonly Iterator<T>[],
  isNewer: (one: T, other: T) => boolean,
): Generator<T> {
  const heads = lists.map((list) => ({ list, next: list.next() }));
  for (;;) {
    let newest: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next.done === true) continue;
      if (
        newest === null ||
        newest.next.done === true ||
        isNewer(head.next.value, newest.next.value)
      )
        newest = head;
    }
    if (newest === null || newest.next.done === true) return;
    yield newest.next.value;
    newest.next = newest.list.next();
  }
}
