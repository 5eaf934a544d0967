import type { DomainEvent, JournalEntry } from '../domain/events.ts';
import type { FactReader } from '../domain/user-topic.ts';

/** Parts of a key, compared part by part; numbers sort before text. */
export type KeyPart = string | number;
/**
 * Keys are arrays in the order of the reads: [userId, atMs, fillId]. At most 8 parts and 512 bytes.
 */
export type Key = readonly KeyPart[];

/** Names a table and the shape of its records. */
export interface Table<T> {
  readonly name: string;
  /** Carries the record type; never set. */
  readonly record?: T;
}

/** A record with the number of times it was written, starting at 1. */
export interface Versioned<T> {
  readonly key: Key;
  readonly value: T;
  readonly version: number;
}

/**
 * Which records to read. `prefix` fixes the leading parts; `after` starts behind that key (before
 * it, in reverse).
 */
export interface Range {
  readonly prefix?: Key;
  readonly after?: Key;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Reads of committed records. Values are frozen by convention: change by copy. */
export interface StoreReader {
  get<T>(table: Table<T>, key: Key): Versioned<T> | null;
  /** Records in key order. */
  range<T>(table: Table<T>, range?: Range): readonly Versioned<T>[];
}

/** What a change may do. Reads inside see the change's own writes. */
export interface StoreWriter extends StoreReader {
  /**
   * Writes a record. With `expectedVersion` (0 for "must not exist") it is a compare-and-set.
   * Errors: AppError `conflict` when the version differs; the whole change is then undone.
   */
  put<T>(table: Table<T>, key: Key, value: T, expectedVersion?: number): void;
  /** Removes a record; nothing happens without one. */
  remove<T>(table: Table<T>, key: Key): void;
  /** Adds a fact to the journal and gives its sequence number. */
  append(event: DomainEvent): number;
}

/**
 * A link of the hash chain over the journal: it covers the entry of its number and, through the
 * link before, all that came earlier. 64 hex digits; the link of number 0, before the first entry,
 * is all zeros.
 */
export interface ChainLink {
  readonly seq: number;
  readonly hash: string;
}

/** Facts of one reader. */
export interface ReadFacts {
  readonly entries: readonly JournalEntry[];
  /** Facts up to this number are no longer found by their reader: some may be missing. */
  readonly forgottenUpTo: number;
}

/**
 * Versioned key-value store with atomic changes and an append-only journal (design.md section 3).
 */
export interface Store extends StoreReader {
  /**
   * Runs one atomic change: all of it is committed, or, when `change` throws, none of it and the
   * promise rejects with what it threw. `change` is synchronous and may run more than once.
   * Committed is not yet durable: see `flushed`.
   */
  write<T>(change: (tx: StoreWriter) => T): Promise<T>;
  /** Journal entries with seq greater than `afterSeq`, in order, at most `limit`. */
  readJournal(afterSeq: number, limit: number): readonly JournalEntry[];
  /**
   * Facts with seq greater than `afterSeq` that a topic tells this reader, in order, at most
   * `limit`: by an index, which goes back `MISSED_EVENTS.keptMs`.
   */
  readFacts(reader: FactReader, afterSeq: number, limit: number): ReadFacts;
  /** Number of the newest journal entry; 0 before the first. */
  newestFact(): number;
  /**
   * Links of journal entries with seq greater than `afterSeq`, in order, at most `limit`. Each
   * commit extends the chain.
   */
  readChain(afterSeq: number, limit: number): readonly ChainLink[];
  /**
   * Notes the chain's newest link durably beside the journal, where a journal cut short will be
   * seen, and gives it.
   */
  anchorChain(): Promise<ChainLink>;
  /**
   * Resolves when everything committed before the call would survive a power failure. Errors:
   * `store_unavailable`.
   */
  flushed(): Promise<void>;
  close(): Promise<void>;
}
