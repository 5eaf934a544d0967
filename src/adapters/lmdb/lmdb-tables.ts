import type { Database, Key as LmdbKey, RangeOptions, RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { DomainEvent, JournalEntry } from '../../domain/events.ts';
import { compareKeys, hasPrefix } from '../../ports/store-rules.ts';
import type { ChainLink, Key, KeyPart, Range, Versioned } from '../../ports/store.ts';
import { frozenInPlace } from '../memory/frozen-copy.ts';
import { FIRST_LINK, LINK_BYTES, textOfFact } from '../memory/journal-chain.ts';
import { NewestKept } from '../memory/newest-kept.ts';
import { RecalledRanges } from './recalled-ranges.ts';
import { REMOVED } from './recent-changes.ts';
import { storeCorrupt } from './store-errors.ts';

/** Of the first release. What was committed last may lie in the redo log beside the file. */
const FORMAT = 1;
const TABLE_PREFIX = 't.';
/** Sorts behind every part of a key. */
const BEHIND_ALL_PARTS = Buffer.of(0xff);

/** The named databases of one environment: one per table, the journal, and the format of it all. */
export class LmdbTables {
  readonly #root: RootDatabase;
  readonly #path: string;
  readonly #tables = new Map<string, Database>();
  readonly #meta: Database;
  readonly #journal: Database;
  /**
   * Records by name as LMDB gave them last, missing ones too, so that what each order asks for is
   * decoded once.
   */
  readonly #recalled = new NewestKept<Versioned<unknown> | null>(STORE.recalledMaximum);
  readonly #recalledRanges = new RecalledRanges(STORE.rangesRecalledMaximum);

  /** Errors: `store_corrupt`. */
  constructor(root: RootDatabase, path: string) {
    this.#root = root;
    this.#path = path;
    const names = this.#reading(() => [...root.getKeys()]);
    this.#meta = root.openDB({ name: META });
    const found: unknown = this.#reading(() => this.#meta.get('format'));
    // The format is the first thing written, before another database is made, which is a commit of
    // its own: where it is missing and nothing else was made, the very first start was cut off.
    const isNew = found === undefined && names.every((name) => name === META);
    if (isNew) this.#meta.putSync('format', FORMAT);
    else if (found !== FORMAT)
      throw storeCorrupt(path, `its format is ${String(found)}, this version reads ${FORMAT}`);
    this.#journal = root.openDB({ name: JOURNAL, encoding: 'binary' });
    for (const name of names) {
      if (typeof name === 'string' && name.startsWith(TABLE_PREFIX))
        this.#open(name.slice(TABLE_PREFIX.length));
    }
  }

  /**
   * Reads what another thread has written, to these tables and to the journal: what was read in
   * this turn is else read again as it was.
   */
  readAnew(tables: Iterable<string>): void {
    for (const name of tables) {
      this.#open(name);
      this.#recalledRanges.outdate(name);
    }
    this.#root.resetReadTxn();
  }

  /**
   * Forgets a record as it was read, for good unless it is read again: whoever puts another over it
   * must.
   */
  forget(name: string): void {
    this.#recalled.forget(name);
  }

  /** Opens a table, making it when it is new. */
  #open(name: string): Database {
    const database =
      this.#tables.get(name) ?? this.#root.openDB({ name: `${TABLE_PREFIX}${name}` });
    this.#tables.set(name, database);
    return database;
  }

  /** The record of a key and the name it makes (`recordName`); null where there is none. */
  get(table: string, key: Key, name: string): Versioned<unknown> | null {
    const recalled = this.#recalled.get(name);
    if (recalled !== undefined) return recalled;
    const record = this.#reading(() => {
      const stored: unknown = this.#tables.get(table)?.get([...key]);
      // Read again and again from here on: nobody may change it, and what is put with parts of it
      // shares them.
      return stored === undefined ? null : frozenInPlace(this.#versioned([...key], stored));
    });
    this.#recalled.keep(name, record);
    return record;
  }

  /** Records of a range in its order, its limit left to the reader. */
  iterate(table: string, range: Range): Iterable<Versioned<unknown>> {
    const { prefix = [], after, reverse = false, limit = Number.POSITIVE_INFINITY } = range;
    const isWhole =
      prefix.length > 0 && after === undefined && !reverse && limit > STORE.rangeRecalledRecords;
    if (!isWhole) return this.#read(table, range);
    return this.#recalledRanges.get(table, prefix) ?? this.#readSmall(table, prefix);
  }

  /** A range of few records is recalled. */
  #readSmall(table: string, prefix: Key): Iterable<Versioned<unknown>> {
    const records: Versioned<unknown>[] = [];
    const found = this.#read(table, { prefix });
    while (records.length <= STORE.rangeRecalledRecords) {
      const { done, value } = found.next();
      if (done === true) {
        this.#recalledRanges.keep(table, prefix, records);
        return records;
      }
      records.push(frozenInPlace(value));
    }
    return followedBy(records, found);
  }

  *#read(table: string, range: Range): Generator<Versioned<unknown>, void> {
    const database = this.#tables.get(table);
    if (database === undefined) return;
    const { prefix = [] } = range;
    const entries = this.#reading(() => database.getRange(optionsOf(range))[Symbol.iterator]());
    try {
      for (;;) {
        const next = this.#reading(() => entries.next());
        if (next.done === true) return;
        const parts = partsOf(next.value.key);
        if (!hasPrefix(parts, prefix)) return;
        yield this.#versioned(parts, next.value.value);
      }
    } finally {
      entries.return?.();
    }
  }

  /**
   * Writes records, those of version REMOVED taken out, and facts from number `firstSeq` on, in one
   * commit that is on disk when this returns. The same may be written again: each record says its
   * version, each fact its number. Throws what LMDB does. Records that were read before are
   * recalled as they were until they are forgotten.
   */
  write(
    records: readonly (readonly [table: string, record: Versioned<unknown>])[],
    { firstSeq, events, links }: ChainedFacts,
  ): void {
    const known = new Set(this.#tables.keys());
    try {
      this.#writeAtOnce(records, { firstSeq, events, links });
    } catch (cause) {
      // A table that was made in a commit that failed is none.
      for (const table of this.#tables.keys()) if (!known.has(table)) this.#tables.delete(table);
      throw cause;
    }
  }

  /** New tables are made in the same commit: each would else be one of its own. */
  #writeAtOnce(
    records: readonly (readonly [table: string, record: Versioned<unknown>])[],
    { firstSeq, events, links }: ChainedFacts,
  ): void {
    this.#root.transactionSync(() => {
      for (const [table, { key, value, version }] of records) {
        this.#recalledRanges.outdate(table);
        if (version === REMOVED) this.#open(table).removeSync([...key]);
        else this.#open(table).putSync([...key], [version, value]);
      }
      for (const [index, event] of events.entries())
        this.#journal.putSync(
          firstSeq + index,
          storedEntry(links[index] ?? FIRST_LINK, textOfFact(event)),
        );
      const head = { seq: firstSeq + events.length - 1, hash: links.at(-1) ?? FIRST_LINK };
      if (events.length > 0 && head.seq > this.head().seq) this.#meta.putSync(HEAD, head);
    });
  }

  /** The newest link, written with its entry: what has a smaller number is in here. */
  head(): ChainLink {
    return headIn(this.#reading((): unknown => this.#meta.get(HEAD)));
  }

  /** The link of one entry; that before the first where there is none. */
  linkOf(seq: number): string {
    return (seq < 1 ? undefined : this.readChain(seq - 1, 1)[0]?.hash) ?? FIRST_LINK;
  }

  /** Links of entries, in order. */
  readChain(afterSeq: number, limit: number): readonly ChainLink[] {
    if (limit <= 0) return [];
    return this.#reading(() =>
      [...this.#journal.getRange({ start: afterSeq + 1, limit })].map(({ key, value }) => ({
        seq: key as number,
        hash: parseEntry(value as Buffer).hash,
      })),
    ); // as below
  }

  /** The last file of the redo log whose commits are all in here; 0 before the first. */
  redoDone(): number {
    const done: unknown = this.#reading(() => this.#meta.get('redo'));
    return typeof done === 'number' ? done : 0;
  }

  /**
   * Says that this file of the redo log, and those before it, have nothing more to tell; on disk
   * when it returns.
   */
  setRedoDone(file: number): void {
    this.#meta.putSync('redo', file);
  }

  /** The last fact's number, 0 when there is none. */
  lastSeq(): number {
    const [last] = this.#reading(() => [...this.#journal.getKeys({ reverse: true, limit: 1 })]);
    return typeof last === 'number' ? last : 0;
  }

  readJournal(afterSeq: number, limit: number): readonly JournalEntry[] {
    if (limit <= 0) return [];
    // Only `write` writes here: the keys are sequence numbers, the values a link and the text of an
    // event.
    return this.#reading(() =>
      [...this.#journal.getRange({ start: afterSeq + 1, limit })].map(({ key, value }) => ({
        seq: key as number,
        event: JSON.parse(parseEntry(value as Buffer).text) as DomainEvent,
      })),
    );
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

  #versioned(key: Key, stored: unknown): Versioned<unknown> {
    const [version, value]: readonly unknown[] =
      Array.isArray(stored) && stored.length === 2 ? stored : [];
    if (typeof version !== 'number') throw storeCorrupt(this.#path, 'a record has another shape');
    return { key, value, version };
  }
}

/** Facts with their links, the first under number `firstSeq`. */
export interface ChainedFacts {
  readonly firstSeq: number;
  readonly events: readonly DomainEvent[];
  readonly links: readonly string[];
}

/**
 * Name of the database that says the format, the newest link and how far the log was taken in; the
 * first that is made.
 */
export const META = 'meta';
/** Name of the chained journal's database; its values are written by `write` alone. */
export const JOURNAL = 'facts';
/** Where META has the newest link. */
export const HEAD = 'head';

/** A journal entry as it is stored: 32 bytes of link, then the text. */
function storedEntry(hash: string, text: string): Buffer {
  return Buffer.concat([Buffer.from(hash, 'hex'), Buffer.from(text, 'utf8')]);
}

/** Takes a stored journal entry apart. */
export function parseEntry(stored: Buffer): { readonly hash: string; readonly text: string } {
  return { hash: stored.toString('hex', 0, LINK_BYTES), text: stored.toString('utf8', LINK_BYTES) };
}

/** The newest link as META has it; that before the first entry where it has none. */
export function headIn(stored: unknown): ChainLink {
  const isLink =
    typeof stored === 'object' && stored !== null && 'seq' in stored && 'hash' in stored;
  return isLink && typeof stored.seq === 'number' && typeof stored.hash === 'string'
    ? { seq: stored.seq, hash: stored.hash }
    : { seq: 0, hash: FIRST_LINK };
}

function* followedBy<T>(first: Iterable<T>, rest: Iterable<T>): Generator<T, void> {
  yield* first;
  yield* rest;
}

/** A range starts at its first possible key, or behind `after` where that lies further on. */
function optionsOf({ prefix = [], after, reverse = false }: Range): RangeOptions {
  const bounds = { reverse };
  if (
    after !== undefined &&
    (reverse ? !isBehindAll(after, prefix) : compareKeys(after, prefix) >= 0)
  ) {
    return { ...bounds, start: [...after], exclusiveStart: true };
  }
  if (prefix.length === 0) return bounds;
  return { ...bounds, start: reverse ? [...prefix, BEHIND_ALL_PARTS] : [...prefix] };
}

function isBehindAll(key: Key, prefix: Key): boolean {
  return compareKeys(key, prefix) > 0 && !hasPrefix(key, prefix);
}

/** LMDB gives a key of one part as that part. */
export function partsOf(key: LmdbKey): Key {
  // `put` writes nothing but checked keys: text and numbers.
  return (Array.isArray(key) ? key : [key]) as readonly KeyPart[];
}
