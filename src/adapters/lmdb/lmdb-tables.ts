import type { Database, Key as LmdbKey, RangeOptions, RootDatabase } from 'lmdb';
import { AppError } from '../../domain/errors.ts';
import type { DomainEvent, JournalEntry } from '../../domain/events.ts';
import { assertKey, assertRange, assertTable, compareKeys, hasPrefix } from '../../ports/store-rules.ts';
import type { Key, KeyPart, Range, StoreReader, Table, Versioned } from '../../ports/store.ts';
import { storeCorrupt } from './store-errors.ts';

const FORMAT = 1;
const TABLE_PREFIX = 't.';
/** Sorts behind every part of a key. */
const BEHIND_ALL_PARTS = Buffer.of(0xff);

/** Thrown inside a change that writes to a table that does not exist yet: it is made, and the change runs again. */
export class TableMissing extends Error {
  readonly table: string;

  constructor(table: string) {
    super(`table ${table} does not exist yet`);
    this.table = table;
  }
}

/** The named databases of one environment: one per table, the journal, and the format of it all. */
export class LmdbTables implements StoreReader {
  readonly #root: RootDatabase;
  readonly #path: string;
  readonly #tables = new Map<string, Database>();
  readonly #journal: Database;
  #missing: string | null = null;

  /** Errors: `store_corrupt`. */
  constructor(root: RootDatabase, path: string) {
    this.#root = root;
    this.#path = path;
    const names = this.#reading(() => [...root.getKeys()]);
    const meta = root.openDB({ name: 'meta' });
    if (names.length === 0) meta.putSync('format', FORMAT);
    const format: unknown = this.#reading(() => meta.get('format'));
    if (format !== FORMAT) throw storeCorrupt(path, `its format is ${String(format)}, this version reads ${FORMAT}`);
    this.#journal = root.openDB({ name: 'journal' });
    for (const name of names) {
      if (typeof name === 'string' && name.startsWith(TABLE_PREFIX)) this.create(name.slice(TABLE_PREFIX.length));
    }
  }

  /** Opens a table, making it when it is new. Not inside a transaction. */
  create(name: string): void {
    this.#missing = null;
    this.#tables.set(name, this.#root.openDB({ name: `${TABLE_PREFIX}${name}` }));
  }

  get<T>(table: Table<T>, key: Key): Versioned<T> | null {
    assertTable(table);
    assertKey(key);
    const stored: unknown = this.#reading(() => this.#tables.get(table.name)?.get([...key]));
    return stored === undefined ? null : this.#versioned<T>(key, stored);
  }

  range<T>(table: Table<T>, range: Range = {}): readonly Versioned<T>[] {
    assertTable(table);
    assertRange(range);
    const database = this.#tables.get(table.name);
    if (database === undefined || range.limit === 0) return [];
    const { prefix = [] } = range;
    const found: Versioned<T>[] = [];
    return this.#reading(() => {
      for (const { key, value } of database.getRange(optionsOf(range))) {
        const parts = partsOf(key);
        if (!hasPrefix(parts, prefix)) break;
        found.push(this.#versioned<T>(parts, value));
      }
      return found;
    });
  }

  /** Puts a record of this version. Inside a transaction. */
  put(table: Table<unknown>, key: Key, value: unknown, version: number): void {
    const database = this.#tables.get(table.name);
    if (database === undefined) {
      this.#missing = table.name;
      throw new TableMissing(table.name);
    }
    database.putSync([...key], [version, value]);
  }

  /** Throws TableMissing when a change met a missing table and carried on: what it wrote is not all of it. */
  assertNoneMissing(): void {
    if (this.#missing !== null) throw new TableMissing(this.#missing);
  }

  /** Removes a record. Inside a transaction. */
  remove(table: Table<unknown>, key: Key): void {
    this.#tables.get(table.name)?.removeSync([...key]);
  }

  /** Adds a fact behind the last. Inside a transaction. */
  append(seq: number, event: DomainEvent): void {
    this.#journal.putSync(seq, event, { append: true });
  }

  /** The last fact's number, 0 when there is none. */
  lastSeq(): number {
    const [last] = this.#reading(() => [...this.#journal.getKeys({ reverse: true, limit: 1 })]);
    return typeof last === 'number' ? last : 0;
  }

  readJournal(afterSeq: number, limit: number): readonly JournalEntry[] {
    if (limit <= 0) return [];
    // Only `append` writes here, so the keys are sequence numbers and the values events.
    return this.#reading(() => [...this.#journal.getRange({ start: afterSeq + 1, limit })]
      .map(({ key, value }) => ({ seq: key as number, event: value as DomainEvent })));
  }

  /** Reads every record once; for a file whose end was missing. Errors: `store_corrupt`. */
  readAll(): void {
    for (const database of [this.#journal, ...this.#tables.values()]) {
      this.#reading(() => {
        for (const { value } of database.getRange()) if (value === undefined) throw new Error('a record is empty');
      });
    }
  }

  /** A read fails only when the file is damaged: the keys were checked before. */
  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw storeCorrupt(this.#path, cause instanceof Error ? cause.message : String(cause), cause);
    }
  }

  #versioned<T>(key: Key, stored: unknown): Versioned<T> {
    const [version, value]: readonly unknown[] = Array.isArray(stored) && stored.length === 2 ? stored : [];
    if (typeof version !== 'number') throw storeCorrupt(this.#path, 'a record has another shape');
    // Only `put` with the same table writes here, and the table fixes the record's type.
    return { key, value: value as T, version };
  }
}

/** A range starts at its first possible key, or behind `after` where that lies further on. */
function optionsOf({ prefix = [], after, reverse = false, limit }: Range): RangeOptions {
  const bounds = { reverse, ...(limit === undefined ? {} : { limit }) };
  if (after !== undefined && (reverse ? !isBehindAll(after, prefix) : compareKeys(after, prefix) >= 0)) {
    return { ...bounds, start: [...after], exclusiveStart: true };
  }
  if (prefix.length === 0) return bounds;
  return { ...bounds, start: reverse ? [...prefix, BEHIND_ALL_PARTS] : [...prefix] };
}

function isBehindAll(key: Key, prefix: Key): boolean {
  return compareKeys(key, prefix) > 0 && !hasPrefix(key, prefix);
}

/** LMDB gives a key of one part as that part. */
function partsOf(key: LmdbKey): Key {
  // `put` writes nothing but checked keys: text and numbers.
  return (Array.isArray(key) ? key : [key]) as readonly KeyPart[];
}
