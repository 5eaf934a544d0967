import { AppError, assert } from '../../domain/errors.ts';
import {
  assertExpectedVersion,
  assertKey,
  assertRange,
  assertTable,
} from '../../ports/store-rules.ts';
import type { Key, Range, StoreWriter, Table, Versioned } from '../../ports/store.ts';
import { frozenCopy } from '../memory/frozen-copy.ts';
import { recordName } from '../memory/record-name.ts';
import type { LmdbTables } from './lmdb-tables.ts';
import { joinRuns, REMOVED, type RecentChanges } from './recent-changes.ts';

/** What a reader sees: recent changes, the newest first, over what LMDB has. */
export interface View {
  readonly layers: readonly RecentChanges[];
  readonly tables: LmdbTables;
}

/** Reads one record. */
export function readOne<T>(view: View, table: Table<T>, key: Key): Versioned<T> | null {
  assertTable(table);
  assertKey(key);
  return readNamed(view, table, { key, name: recordName(table.name, key) });
}

function readNamed<T>(
  { layers, tables }: View,
  table: Table<T>,
  { key, name }: { readonly key: Key; readonly name: string },
): Versioned<T> | null {
  for (const layer of layers) {
    const recent = layer.get(table.name, name);
    if (recent !== undefined) return recent.version === REMOVED ? null : asRecord(recent);
  }
  const found = tables.get(table.name, key, name);
  return found === null ? null : asRecord(found);
}

/** Reads the records of a range. */
export function readMany<T>(
  { layers, tables }: View,
  table: Table<T>,
  range: Range = {},
): readonly Versioned<T>[] {
  assertTable(table);
  assertRange(range);
  const { limit = Number.POSITIVE_INFINITY, reverse = false } = range;
  const found: Versioned<T>[] = [];
  if (limit === 0) return found;
  const above = layers
    .map((layer) => layer.iterate(table.name, range))
    .filter((run) => run !== null);
  const below = tables.iterate(table.name, range);
  const records = above.length === 0 ? below : joinRuns([...above, below], reverse);
  for (const record of records) if (found.push(asRecord<T>(record)) >= limit) break;
  return found;
}

/** Goes on behind the entries found in LMDB with recent ones, some of which it may have by now. */
export function goOn<T extends { readonly seq: number }>(
  found: readonly T[],
  recent: readonly T[],
  { afterSeq, limit }: { readonly afterSeq: number; readonly limit: number },
): readonly T[] {
  const from = Math.max(afterSeq, found.at(-1)?.seq ?? 0);
  return [
    ...found,
    ...recent.filter(({ seq }) => seq > from).slice(0, Math.max(0, limit - found.length)),
  ];
}

/** Where a change writes: its own changes, and the number its first fact gets. */
export interface ChangeTarget {
  readonly own: RecentChanges;
  readonly firstSeq: number;
}

/** The writer of one change. */
export interface ChangeWriter {
  readonly tx: StoreWriter;
  /** From here on it refuses. */
  end(): void;
}

/**
 * The writer of one change, whose own changes are the first layer of its view. It may be used until
 * `end`.
 */
export function writerOver(view: View, { own, firstSeq }: ChangeTarget): ChangeWriter {
  let isOver = false;
  const assertRunning = (): void =>
    assert(!isOver, 'a change of the store uses its writer only while it runs');
  const tx: StoreWriter = {
    get(table, key) {
      assertRunning();
      return readOne(view, table, key);
    },
    range(table, range) {
      assertRunning();
      return readMany(view, table, range);
    },
    put(table, key, value, expectedVersion) {
      assertRunning();
      assertTable(table);
      assertKey(key);
      assertExpectedVersion(expectedVersion);
      const name = recordName(table.name, key);
      const version = readNamed(view, table, { key, name })?.version ?? 0;
      if (expectedVersion !== undefined && version !== expectedVersion) {
        throw new AppError(
          'conflict',
          `a ${table.name} record has version ${version}, not ${expectedVersion}`,
          { retryable: true },
        );
      }
      own.set(table.name, name, {
        key: Object.freeze([...key]),
        value: frozenCopy(value),
        version: version + 1,
      });
    },
    remove(table, key) {
      assertRunning();
      if (readOne(view, table, key) !== null)
        own.set(table.name, recordName(table.name, key), {
          key: Object.freeze([...key]),
          value: null,
          version: REMOVED,
        });
    },
    append(event) {
      assertRunning();
      own.append(frozenCopy(event));
      return firstSeq + own.events.length - 1;
    },
  };
  return {
    tx,
    end: () => {
      isOver = true;
    },
  };
}

function asRecord<T>(record: Versioned<unknown>): Versioned<T> {
  // only `put` with the same table writes it, and the table fixes the record's type
  return record as Versioned<T>;
}
