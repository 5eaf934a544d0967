import { AppError } from '../../domain/errors.ts';
import type { JournalEntry } from '../../domain/events.ts';
import {
  AppendError,
  type CommitLog,
  type Frame,
  type RecordChange,
} from '../../ports/commit-log.ts';
import type { ChainLink, Key, Store, StoreWriter } from '../../ports/store.ts';
import { STORE } from '../../../config/limits/store.ts';
import { frozenInPlace } from '../memory/frozen-copy.ts';
import { linksOf, textOfFact } from '../memory/journal-chain.ts';
import { recordName } from '../memory/record-name.ts';
import type { CatchUp } from './catch-up.ts';
import { writeAnchor } from './chain-anchor.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Backlog, DiskStore } from './disk-store.ts';
import type { Environment } from './environment.ts';
import type { FolderLock } from './folder-lock.ts';
import { assertContinues } from './follow.ts';
import { goOn, readMany, readOne, writerOver, type View } from './layered-view.ts';
import type { LmdbTables } from './lmdb-tables.ts';
import { RecentChanges, REMOVED } from './recent-changes.ts';
import type { LogFailures } from './segment-log.ts';
import { commitError, lostError } from './store-errors.ts';

/**
 * Changes since the log was last taken in, in memory, over LMDB. Commits go to the log; once that
 * is ahead of LMDB by a file, a thread brings LMDB up to it.
 */
export class LayeredStore implements DiskStore {
  readonly setAside: string | null;
  readonly #parts: StoreParts;
  readonly #path: string;
  readonly #tables: LmdbTables;
  readonly #log: CommitLog;
  readonly #logBytes: number;
  readonly #commits = new CommitQueue({
    writer: (own, staged) =>
      writerOver(this.#view(own, staged), {
        own,
        firstSeq: this.#lastSeq + staged.events.length + 1,
      }),
    store: (staged) => this.#store(staged).catch((cause: unknown) => this.#hasNotStored(cause)),
    makeRoom: () => this.#makeRoom(),
  });
  /** Durable, and not yet in LMDB: what is on its way there, and what came after that. */
  #recent = new RecentChanges();
  #recentBytes = 0;
  #draining: Drain | null = null;
  /**
   * The drain under way; a failed one is tried again with a commit that finds the log full, and
   * after a while.
   */
  #drain: Promise<void> | null = null;
  /** How often that has failed in a row, and why the last time. */
  #failed: LogFailures = { failedInARow: 0, cause: null };
  #caughtUp = { catchUps: 0, lastMs: 0 };
  #later: NodeJS.Timeout | null = null;
  #lastSeq: number;
  /** The link of entry `#lastSeq`, those of the last commit aside that are not chained yet. */
  #headHash: string;
  #unchained: readonly string[] = [];
  #anchored: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #lost: AppError | null = null;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.setAside = parts.setAside;
    this.#path = parts.path;
    this.#tables = parts.environment.tables;
    this.#log = parts.log;
    this.#logBytes = parts.logBytes;
    const { fact, link } = this.#tables.applied();
    this.#lastSeq = fact;
    this.#headHash = link;
    this.#resume(parts.behind);
    void this.#makeRoom();
  }

  /**
   * Takes in what the last run committed and LMDB has not: kept as this run's own commits are, so
   * that a start waits neither for LMDB nor for its disk. Errors: `store_corrupt`.
   */
  #resume(frames: Iterable<Frame>): void {
    let { seq, hash } = this.#tables.applied();
    for (const frame of frames) {
      const reached = { seq, hash, fact: this.#lastSeq, link: this.#headHash };
      assertContinues(this.#path, reached, frame);
      const changes = new RecentChanges();
      for (const [table, key, version, value] of frame.records)
        changes.set(table, recordName(table, key), {
          key: Object.freeze(key),
          version,
          value: frozenInPlace(value),
        });
      for (const fact of frame.facts) changes.append(frozenInPlace(fact));
      this.#keep(changes, frame.facts.map(textOfFact));
      this.#chain();
      this.#recentBytes += frame.bytes;
      ({ seq, hash } = frame);
    }
  }

  get: Store['get'] = (table, key) => {
    this.#assertOpen();
    return readOne(this.#view(), table, key);
  };

  range: Store['range'] = (table, range) => {
    this.#assertOpen();
    return readMany(this.#view(), table, range);
  };

  readJournal: Store['readJournal'] = (afterSeq, limit) => {
    this.#assertOpen();
    const entries: JournalEntry[] = [];
    if (limit <= 0 || afterSeq >= this.#lastSeq) return entries;
    const from = Math.max(0, afterSeq);
    const frame = this.#tables.frameOf(from + 1) ?? this.#tables.applied().seq + 1;
    for (const { firstFact, facts } of this.#log.read(frame - 1)) {
      for (const [index, event] of facts.entries())
        if (firstFact + index > from) entries.push({ seq: firstFact + index, event });
      if (entries.length >= limit) break;
    }
    return entries.slice(0, limit);
  };

  readFacts: Store['readFacts'] = (reader, afterSeq, limit) => {
    this.#assertOpen();
    const from = Math.max(0, afterSeq);
    const { entries, forgottenUpTo } = this.#tables.readFacts(reader, from, limit);
    const recent = [this.#draining?.recent, this.#recent].flatMap(
      (changes) => changes?.factsOf(reader) ?? [],
    );
    return { entries: goOn(entries, recent, { afterSeq: from, limit }), forgottenUpTo };
  };

  newestFact: Store['newestFact'] = () => {
    this.#assertOpen();
    return this.#lastSeq;
  };

  readChain: Store['readChain'] = (afterSeq, limit) => {
    this.#assertOpen();
    this.#chain();
    const recent = [...(this.#draining?.recent.links ?? []), ...this.#recent.links].map(
      (hash, index, { length }) => ({ seq: this.#lastSeq - length + 1 + index, hash }),
    );
    const from = Math.max(0, afterSeq);
    return goOn(this.#tables.readChain(from, limit), recent, { afterSeq: from, limit });
  };

  async anchorChain(): Promise<ChainLink> {
    this.#assertOpen();
    return this.#anchor();
  }

  /** One after another: they share a file. */
  #anchor(): Promise<ChainLink> {
    this.#chain();
    const head = { seq: this.#lastSeq, hash: this.#headHash };
    const written = this.#anchored.then(() => writeAnchor(this.#path, head));
    this.#anchored = written.catch(() => undefined);
    return written.then(() => head);
  }

  async write<T>(change: (tx: StoreWriter) => T): Promise<T> {
    this.#assertOpen();
    if (this.#lost !== null) throw this.#lost;
    return this.#commits.add(change);
  }

  /** A commit is on disk before its changes resolve, so there is nothing left to wait for. */
  async flushed(): Promise<void> {
    this.#assertOpen();
  }

  backlog(): Backlog {
    const log = this.#parts.failuresOfLog();
    return {
      bytes: this.#recentBytes + (this.#draining?.bytes ?? 0),
      failedInARow: this.#failed.failedInARow + log.failedInARow,
      cause: this.#failed.cause ?? log.cause,
      ...this.#caughtUp,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What LMDB does not take in the log gives the next start. */
  async #close(): Promise<void> {
    const { catchUp, environment, lock, finish } = this.#parts;
    await this.#commits.settled();
    clearTimeout(this.#later ?? undefined);
    // Without room for it the anchor stays as it was, which is no less true.
    await this.#anchor().catch(() => undefined);
    await this.#drain;
    await catchUp.close();
    await finish(this.#lost !== null);
    await environment.close();
    await lock.release();
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new AppError('store_unavailable', 'the store is closed');
  }

  #view(...above: readonly RecentChanges[]): View {
    const drained = this.#draining === null ? [] : [this.#draining.recent];
    return { layers: [...above, this.#recent, ...drained], tables: this.#tables };
  }

  async #store(staged: RecentChanges): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    if (staged.size === 0) return;
    this.#assertRoom();
    this.#chain();
    const records: RecordChange[] = [];
    staged.forEach((table, { key, version, value }) =>
      records.push([table, key, version, version === REMOVED ? null : value]),
    );
    const facts = staged.events.map(textOfFact);
    const { seq, hash: previous } = this.#log.head();
    this.#recentBytes += await this.#log.append({
      seq: seq + 1,
      previous,
      firstFact: this.#lastSeq + 1,
      link: this.#headHash,
      facts,
      records,
    });
    this.#keep(staged, facts);
    // The order that waited for the disk leaves first.
    setImmediate(() => this.#chain());
  }

  /** Keeps a commit of the log until LMDB has it; its facts, in their texts, are to be chained. */
  #keep(changes: RecentChanges, facts: readonly string[]): void {
    this.#recent.absorbRecords(changes);
    for (const event of changes.events) this.#recent.keepFact({ seq: (this.#lastSeq += 1), event });
    this.#unchained = facts;
    changes.forEach((table, { key, version }, name) => {
      if (version === REMOVED && !this.#isBelow(table, key, name)) this.#recent.forget(table, name);
      // From here on LMDB is not asked for it until it has what lies over it: what was recalled
      // would then be old.
      this.#tables.forget(name);
    });
  }

  /**
   * What callers get for a commit that failed. Nothing is changed any more once it is not known
   * what is committed.
   */
  #hasNotStored(cause: unknown): never {
    if (cause instanceof AppError) throw cause;
    if (!(cause instanceof AppendError) || cause.failure === 'refused')
      throw commitError(this.#path, cause);
    this.#lost = lostError(this.#path, cause);
    this.#parts.lost(this.#lost);
    throw this.#lost;
  }

  /** Chains the facts of the last commit, which the next one goes on from. */
  #chain(): void {
    const texts = this.#unchained;
    if (texts.length === 0) return;
    this.#unchained = [];
    const links = linksOf(this.#headHash, this.#lastSeq - texts.length + 1, texts);
    this.#recent.chain(links);
    this.#headHash = links.at(-1) ?? this.#headHash;
  }

  /**
   * True when LMDB has the record, or is to have it. Short-lived records would else leave a trail
   * that every range read walks.
   */
  #isBelow(table: string, key: Key, name: string): boolean {
    return (
      this.#draining?.recent.get(table, name) !== undefined ||
      this.#tables.get(table, key, name) !== null
    );
  }

  /**
   * Lets LMDB catch up once the log has gone ahead of it by a file. Commits wait for it only when
   * it has fallen behind by twice that.
   */
  async #makeRoom(): Promise<void> {
    if (this.#recentBytes < this.#logBytes) return;
    // One that has failed is made again in its time, not at each commit.
    if (this.#draining !== null && this.#later === null)
      this.#drain ??= this.#bringIn(this.#draining);
    if (this.#recentBytes >= this.#logBytes * 2) await this.#drain;
    if (this.#draining !== null) return;
    this.#chain();
    const [recent, bytes, upTo] = [this.#recent, this.#recentBytes, this.#log.head().seq];
    this.#draining = { recent, bytes, upTo };
    this.#recent = new RecentChanges();
    this.#recentBytes = 0;
    this.#drain = this.#bringIn(this.#draining);
  }

  /** A log that LMDB does not follow would fill the memory, and hold up the next start. */
  #assertRoom(): void {
    if (this.#recentBytes < this.#logBytes * STORE.logGrowthMaximum) return;
    const { cause } = this.#failed;
    throw new Error(
      `its log has grown to ${this.#recentBytes} bytes, because ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }

  /** Lets LMDB take in what was sealed. */
  async #bringIn({ recent, upTo }: Drain): Promise<void> {
    const { catchUp, drainBytes } = this.#parts;
    const begunMs = performance.now();
    try {
      await catchUp.bringIn({ upTo, passed: recent.passed, atOnce: drainBytes });
      this.#tables.readAnew(recent.tables);
      this.#draining = null;
      this.#failed = { failedInARow: 0, cause: null };
      this.#caughtUp = {
        catchUps: this.#caughtUp.catchUps + 1,
        lastMs: performance.now() - begunMs,
      };
    } catch (cause) {
      // The log still tells of it, and so does the memory.
      this.#hasFailed(cause);
    }
    this.#drain = null;
  }

  /** A store without writes is to recover too. */
  #hasFailed(cause: unknown): void {
    this.#failed = { failedInARow: this.#failed.failedInARow + 1, cause };
    if (this.#later !== null || this.#closing !== null) return;
    this.#later = setTimeout(() => {
      this.#later = null;
      if (this.#draining !== null) this.#drain ??= this.#bringIn(this.#draining);
    }, this.#parts.againMs).unref();
  }
}

/** Changes that LMDB takes in, and the head of the log behind them. */
interface Drain {
  readonly recent: RecentChanges;
  readonly bytes: number;
  readonly upTo: number;
}

export interface StoreParts {
  readonly path: string;
  readonly lock: FolderLock;
  readonly environment: Environment;
  readonly catchUp: CatchUp;
  readonly log: CommitLog;
  /** The log's frames that LMDB has not. */
  readonly behind: Iterable<Frame>;
  readonly failuresOfLog: () => LogFailures;
  /** Closes the log, LMDB having taken in the rest of it unless the log is lost. */
  readonly finish: (isLost: boolean) => Promise<void>;
  readonly logBytes: number;
  readonly againMs: number;
  readonly drainBytes: number;
  readonly lost: (cause: AppError) => void;
  readonly setAside: string | null;
}
