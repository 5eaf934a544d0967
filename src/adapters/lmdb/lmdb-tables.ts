import type { Database, Key as LmdbKey, RangeOptions, RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { FactReader } from '../../domain/user-topic.ts';
import type { LogHead } from '../../ports/commit-log.ts';
import { compareKeys, hasPrefix } from '../../ports/store-rules.ts';
import type { ChainLink, Key, KeyPart, Range, ReadFacts, Versioned } from '../../ports/store.ts';
import { frozenInPlace } from '../memory/frozen-copy.ts';
import { FIRST_LINK, LINK_BYTES } from '../memory/journal-chain.ts';
import { NewestKept } from '../memory/newest-kept.ts';
import { FactIndex, type ReadFact } from './fact-index.ts';
import { NO_FRAME } from './frames.ts';
import { RecalledRanges } from './recalled-ranges.ts';
import { REMOVED } from './recent-changes.ts';
import { dataFileCorrupt, storeCorrupt } from './store-errors.ts';

/** Of the first release. */
const FORMAT = 1;
const TABLE_PREFIX = 't.';
/** Sorts behind every part of a key. */
const BEHIND_ALL_PARTS = Buffer.of(0xff);

/**
 * The named databases of one environment: one per table, the journal's links, and what says how far
 * they follow the log.
 */
export class LmdbTables {
  readonly #root: RootDatabase;
  /** Folder of the environment. */
  readonly path: string;
  readonly #tables = new Map<string, Database>();
  readonly #meta: Database;
  readonly #links: Database<Buffer, number>;
  readonly #facts: FactIndex;
  /**
   * Records by name as LMDB gave them last, missing ones too, so that what each order asks for is
   * decoded once.
   */
  readonly #recalled = new NewestKept<Versioned<unknown> | null>(STORE.recalledMaximum);
  readonly #recalledRanges = new RecalledRanges(STORE.rangesRecalledMaximum);

  /** Errors: `store_corrupt`. */
  constructor(root: RootDatabase, path: string) {
    this.#root = root;
    this.path = path;
    const names = this.#reading(() => [...root.getKeys()]);
    this.#meta = root.openDB({ name: META });
    const found: unknown = this.#reading(() => this.#meta.get('format'));
    // The format is the first thing written, before another database is made, which is a commit of
    // its own: where it is missing and nothing else was made, the very first start was cut off.
    const isNew = found === undefined && names.every((name) => name === META);
    if (isNew) this.#meta.putSync('format', FORMAT);
    else if (found !== FORMAT)
      throw storeCorrupt(path, `its format is ${String(found)}, this version reads ${FORMAT}`);
    this.#links = root.openDB<Buffer, number>({ name: LINKS, encoding: 'binary' });
    this.#facts = new FactIndex(root, this.#meta, this.applied().fact);
    for (const name of names) {
      if (typeof name === 'string' && name.startsWith(TABLE_PREFIX))
        this.#open(name.slice(TABLE_PREFIX.length));
    }
  }

  /**
   * Reads what another thread has written, to these tables and to the links: what was read in
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

  /** The record of a key and the name it makes (`recordName`); null without one. */
  get(table: string, key: Key, name: string): Versioned<unknown> | null {
    const recalled = this.#recalled.get(name);
    if (recalled !== undefined) return recalled;
    const record = this.#reading(() => {
      const stored: unknown = this.#tables.get(table)?.get([...key]);
      // Read again and again from here on: it may not be changed, and what is put with parts of it
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
   * Writes what frames of the log amount to, records of version REMOVED taken out, and how far they
   * go, in one commit that is on disk when this returns. Throws what LMDB does. Records that were
   * read before are recalled as they were until they are forgotten.
   */
  write(part: AppliedPart): void {
    const known = new Set(this.#tables.keys());
    try {
      this.#writeAtOnce(part);
    } catch (cause) {
      // A table that was made in a commit that failed does not exist.
      for (const table of this.#tables.keys()) if (!known.has(table)) this.#tables.delete(table);
      throw cause;
    }
  }

  /** New tables are made in the same commit: each would else be one of its own. */
  #writeAtOnce({ records, links, facts, applied }: AppliedPart): void {
    this.#root.transactionSync(() => {
      for (const [table, { key, value, version }] of records) {
        this.#recalledRanges.outdate(table);
        if (version === REMOVED) this.#open(table).removeSync([...key]);
        else this.#open(table).putSync([...key], [version, value]);
      }
      for (const { seq, hash, frame } of links) this.#links.putSync(seq, storedLink(hash, frame));
      this.#facts.write(facts, applied.fact);
      this.#meta.putSync(APPLIED, applied);
    });
  }

  /** How far the log was taken in. */
  applied(): Applied {
    return appliedIn(this.#reading((): unknown => this.#meta.get(APPLIED)));
  }

  /** Number of the log's frame that has a fact; null where it is not known here. */
  frameOf(fact: number): number | null {
    const stored = this.#reading(() => this.#links.get(fact));
    return stored === undefined ? null : stored.readUIntBE(LINK_BYTES, FRAME_BYTES);
  }

  /** Facts of a reader, and up to where they were forgotten. Errors: `store_corrupt`. */
  readFacts(reader: FactReader, afterSeq: number, limit: number): ReadFacts {
    return this.#reading(() => ({
      entries: this.#facts.read(reader, afterSeq, limit),
      forgottenUpTo: this.#facts.forgottenUpTo(),
    }));
  }

  /** Links of facts, in order. */
  readChain(afterSeq: number, limit: number): readonly ChainLink[] {
    if (limit <= 0) return [];
    return this.#reading(() =>
      [...this.#links.getRange({ start: afterSeq + 1, limit })].map(({ key, value }) => ({
        seq: key,
        hash: linkIn(value),
      })),
    );
  }

  /** A read fails only when the file is damaged: the keys were checked before. */
  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw dataFileCorrupt(
        this.path,
        cause instanceof Error ? cause.message : String(cause),
        cause,
      );
    }
  }

  #versioned(key: Key, stored: unknown): Versioned<unknown> {
    const [version, value]: readonly unknown[] =
      Array.isArray(stored) && stored.length === 2 ? stored : [];
    if (typeof version !== 'number')
      throw dataFileCorrupt(this.path, 'a record has an unexpected format');
    return { key, value, version };
  }
}

/** How far the log was taken in: its frame, and the journal's newest link. */
export interface Applied extends LogHead {
  readonly fact: number;
  readonly link: string;
}

/** What some frames of the log amount to. */
export interface AppliedPart {
  readonly records: Iterable<readonly [table: string, record: Versioned<unknown>]>;
  /** Links of their facts, each with the number of its frame. */
  readonly links: readonly (ChainLink & { readonly frame: number })[];
  /** Those that users' topics tell. */
  readonly facts: readonly ReadFact[];
  /** The head of the log after them. */
  readonly applied: Applied;
}

/**
 * Name of the database that says the format and how far the log was taken in; the first that is
 * made.
 */
export const META = 'meta';
/** Name of the database of the journal's links; its values are written by `write` alone. */
export const LINKS = 'links';
/** Where META has how far the log was taken in. */
export const APPLIED = 'applied';
/** Bytes of a frame's number behind its link. */
const FRAME_BYTES = 6;

/** A link as it is stored: its 32 bytes, then the number of the frame that has its fact. */
function storedLink(hash: string, frame: number): Buffer {
  const stored = Buffer.alloc(LINK_BYTES + FRAME_BYTES);
  stored.write(hash, 0, 'hex');
  stored.writeUIntBE(frame, LINK_BYTES, FRAME_BYTES);
  return stored;
}

/** The link in what is stored. */
export function linkIn(stored: Buffer): string {
  return stored.toString('hex', 0, LINK_BYTES);
}

/** How far META says that the log was taken in; not at all where it says nothing. */
export function appliedIn(stored: unknown): Applied {
  // only `write` puts it there
  return (stored ?? { ...NO_FRAME, fact: 0, link: FIRST_LINK }) as Applied;
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
