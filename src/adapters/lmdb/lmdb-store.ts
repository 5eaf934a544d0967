import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { ChainLink, Key, Store, StoreWriter } from '../../ports/store.ts';
import { linksOf, textOfFact } from '../memory/journal-chain.ts';
import type { CatchUp } from './catch-up.ts';
import { createCatchUp } from './catch-up.ts';
import { assertReachesAnchor, writeAnchor } from './chain-anchor.ts';
import { CommitQueue } from './commit-queue.ts';
import { checkDataFile } from './data-file.ts';
import type { Backlog, DiskStore } from './disk-store.ts';
import type { Drain } from './drain.ts';
import { bringIn, drainOf } from './drain.ts';
import type { Environment } from './environment.ts';
import { openEnvironment } from './environment.ts';
import { lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import type { View } from './layered-view.ts';
import { goOn, readMany, readOne, writerOver } from './layered-view.ts';
import type { LmdbTables } from './lmdb-tables.ts';
import { RecentChanges, REMOVED } from './recent-changes.ts';
import type { LogFileLeft, RedoRecord } from './redo-log.ts';
import { readRedoLog, RedoLog } from './redo-log.ts';
import { commitError } from './store-errors.ts';

/** Where the store lives. */
export interface LmdbStoreOptions {
  /** Folder of the store, made when it is missing; one process at a time. */
  readonly path: string;
  /** Size of a file of the log; default STORE.logFileBytes. */
  readonly logBytes?: number;
  /** Where catching up has failed it is tried again after this; default STORE.catchUpAgainMs. */
  readonly againMs?: number;
  /**
   * Bytes of the log that LMDB takes in at once while commits go on; default STORE.bytesPerDrain.
   */
  readonly drainBytes?: number;
}

/**
 * Opens the store on disk: a redo log that takes each commit with one write, and LMDB, which is
 * brought up to date behind it and answers what lies further back. What was changed since is also
 * in memory, over LMDB. Changes asked for while a commit is on its way to the disk share the next
 * one, and a change resolves when it is on disk. Errors: `store_locked` when another process has
 * the folder, `store_corrupt` when a file cannot be read, `store_unavailable` when there is no room
 * for the log.
 */
export async function openLmdbStore({
  path,
  logBytes = STORE.logFileBytes,
  drainBytes = STORE.bytesPerDrain,
  againMs = STORE.catchUpAgainMs,
}: LmdbStoreOptions): Promise<DiskStore> {
  const lock = await lockFolder(path);
  try {
    checkDataFile(path);
    const environment = await openEnvironment(path);
    return new LmdbStore({
      path,
      lock,
      environment,
      log: await openLog(path, environment.tables, logBytes),
      logBytes,
      drainBytes,
      againMs,
      catchUp: createCatchUp(path),
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Brings LMDB up to date with what the last run left in its log, and starts a new one. */
async function openLog(path: string, tables: LmdbTables, logBytes: number): Promise<RedoLog> {
  const { redos, last } = readRedoLog(path, tables.redoDone());
  const drain = drainOf(tables, { path, redos, file: last });
  try {
    if (drain.recent.size > 0) await bringIn(tables, drain);
    assertReachesAnchor(path, tables.lastSeq());
    const log = await RedoLog.start(path, last, logBytes);
    log.forget(last);
    return log;
  } catch (cause) {
    throw cause instanceof AppError ? cause : commitError(path, cause);
  }
}

class LmdbStore implements DiskStore {
  readonly #path: string;
  readonly #lock: FolderLock;
  readonly #environment: Environment;
  readonly #tables: LmdbTables;
  readonly #catchUp: CatchUp;
  readonly #log: RedoLog;
  readonly #logBytes: number;
  readonly #againMs: number;
  readonly #drainBytes: number;
  readonly #commits = new CommitQueue({
    writer: (own, staged) =>
      writerOver(this.#view(own, staged), {
        own,
        firstSeq: this.#lastSeq + staged.events.length + 1,
      }),
    store: (staged) =>
      this.#store(staged).catch((cause: unknown) => Promise.reject(commitError(this.#path, cause))),
    makeRoom: () => this.#makeRoom(),
  });
  /**
   * Durable, and not yet in LMDB: what the current file of the log tells, and what is on its way
   * from the one before.
   */
  #recent = new RecentChanges();
  #draining: LeftDrain | null = null;
  /**
   * The drain under way; a failed one is tried again with a commit that finds the log full, and
   * after a while.
   */
  #drain: Promise<void> | null = null;
  /** The log's next file, while it is being made. */
  #preparing: Promise<void> | null = null;
  /** How often these two have failed in a row, and why the last time. */
  readonly #failed = { drain: 0, preparing: 0 };
  #failure: unknown = null;
  #later: NodeJS.Timeout | null = null;
  #lastSeq: number;
  /** The link of entry `#lastSeq`, those of the last commit aside that are not chained yet. */
  #headHash: string;
  #unchained: readonly string[] = [];
  #anchored: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor({
    path,
    lock,
    environment,
    catchUp,
    log,
    logBytes,
    drainBytes,
    againMs,
  }: StoreParts) {
    this.#path = path;
    this.#lock = lock;
    this.#environment = environment;
    this.#tables = environment.tables;
    this.#catchUp = catchUp;
    this.#log = log;
    this.#logBytes = logBytes;
    this.#againMs = againMs;
    this.#drainBytes = drainBytes;
    this.#lastSeq = this.#tables.lastSeq();
    this.#headHash = this.#tables.head().hash;
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
    if (limit <= 0) return [];
    const recent = [...(this.#draining?.recent.events ?? []), ...this.#recent.events].map(
      (event, index, { length }) => ({ seq: this.#lastSeq - length + 1 + index, event }),
    );
    return goOn(this.#tables.readJournal(afterSeq, limit), recent, { afterSeq, limit });
  };

  readChain: Store['readChain'] = (afterSeq, limit) => {
    this.#assertOpen();
    this.#chain();
    const recent = [...(this.#draining?.recent.links ?? []), ...this.#recent.links].map(
      (hash, index, { length }) => ({ seq: this.#lastSeq - length + 1 + index, hash }),
    );
    return goOn(this.#tables.readChain(Math.max(0, afterSeq), limit), recent, { afterSeq, limit });
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
    return this.#commits.add(change);
  }

  /** A commit is on disk before its changes resolve, so there is nothing left to wait for. */
  async flushed(): Promise<void> {
    this.#assertOpen();
  }

  backlog(): Backlog {
    const failedInARow = this.#failed.drain + this.#failed.preparing;
    return {
      bytes: this.#log.size + (this.#draining?.left.bytes ?? 0),
      failedInARow,
      cause: failedInARow === 0 ? null : this.#failure,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What LMDB does not take in is told again by the log, at the next start. */
  async #close(): Promise<void> {
    await this.#commits.settled();
    clearTimeout(this.#later ?? undefined);
    // Without room for it the anchor stays as it was, which is no less true.
    await this.#anchor().catch(() => undefined);
    await Promise.all([this.#preparing, this.#drain]);
    await this.#catchUp.close();
    await this.#bringInRest().catch(() => undefined);
    this.#log.close();
    await this.#environment.close();
    await this.#lock.release();
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new AppError('store_unavailable', 'the store is closed');
  }

  #view(...above: readonly RecentChanges[]): View {
    const drained = this.#draining === null ? [] : [this.#draining.recent];
    return { layers: [...above, this.#recent, ...drained], tables: this.#tables };
  }

  async #store(staged: RecentChanges): Promise<void> {
    if (staged.size === 0) return;
    this.#assertRoom();
    this.#chain();
    const records: RedoRecord[] = [];
    staged.forEach((table, { key, version, value }) =>
      records.push([table, key, version, version === REMOVED ? null : value]),
    );
    const firstSeq = this.#lastSeq + 1;
    const texts = staged.events.map(textOfFact);
    await this.#log.append({ firstSeq, head: this.#headHash, texts, records });
    this.#recent.absorb(staged);
    this.#lastSeq += staged.events.length;
    this.#unchained = texts;
    // The order that waited for the disk leaves first.
    setImmediate(() => this.#chain());
    staged.forEach((table, { key, version }, name) => {
      if (version === REMOVED && !this.#isBelow(table, key, name)) this.#recent.forget(table, name);
      // From here on LMDB is not asked for it until it has what lies over it: what was recalled
      // would then be old.
      this.#tables.forget(name);
    });
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
   * Makes the log's next file ready while the current one fills, goes on in it once that is full,
   * and lets LMDB catch up with the one left behind. Commits wait for this only when the current
   * file has grown to twice its size.
   */
  async #makeRoom(): Promise<void> {
    if (this.#log.size * 2 < this.#logBytes) return;
    // Without room on the disk the current file grows as far as it may; a commit it cannot take is
    // refused.
    this.#preparing ??= this.#prepare();
    if (this.#log.size < this.#logBytes) return;
    if (this.#draining !== null) this.#drain ??= this.#bringIn(this.#draining);
    if (this.#log.size >= this.#logBytes * 2) await Promise.all([this.#preparing, this.#drain]);
    const drain = {
      ...this.#drainOfRecent(),
      left: { number: this.#log.number, bytes: this.#log.size },
    };
    if (this.#draining !== null || !this.#log.goOn()) return;
    this.#draining = drain;
    this.#recent = new RecentChanges();
    this.#drain = this.#bringIn(this.#draining);
  }

  /** A log that only grows would fill the memory, and hold up the next start. */
  #assertRoom(): void {
    if (this.#log.size < this.#logBytes * STORE.logGrowthMaximum) return;
    throw new Error(
      `its log has grown to ${this.#log.size} bytes, because ${this.#failure instanceof Error ? this.#failure.message : String(this.#failure)}`,
      { cause: this.#failure },
    );
  }

  /** Lets LMDB take in what a file of the log tells that was left. */
  async #bringIn(drain: LeftDrain): Promise<void> {
    try {
      await this.#catchUp.bringIn({
        ...drain.left,
        passed: drain.recent.passed,
        atOnce: this.#drainBytes,
      });
      this.#tables.readAnew(drain.recent.tables);
      this.#draining = null;
      this.#failed.drain = 0;
    } catch (cause) {
      // The log still tells of it, and so does the memory.
      this.#hasFailed('drain', cause);
    }
    this.#drain = null;
  }

  async #prepare(): Promise<void> {
    try {
      await this.#log.prepare();
      this.#failed.preparing = 0;
    } catch (cause) {
      this.#hasFailed('preparing', cause);
    }
    this.#preparing = null;
  }

  /** A store that nobody writes to is to recover too. */
  #hasFailed(what: 'drain' | 'preparing', cause: unknown): void {
    this.#failed[what] += 1;
    this.#failure = cause;
    if (this.#later !== null || this.#closing !== null) return;
    this.#later = setTimeout(() => {
      this.#later = null;
      if (this.#draining !== null) this.#drain ??= this.#bringIn(this.#draining);
      if (this.#failed.preparing > 0) this.#preparing ??= this.#prepare();
    }, this.#againMs).unref();
  }

  #drainOfRecent(): Drain {
    this.#chain();
    return {
      recent: this.#recent,
      firstSeq: this.#lastSeq - this.#recent.events.length + 1,
      file: this.#log.number,
    };
  }

  /**
   * On this thread, which nobody waits for any more. In order: what comes later says that all
   * before it is done with.
   */
  async #bringInRest(): Promise<void> {
    for (const drain of [this.#draining, this.#drainOfRecent()]) {
      if (drain === null || drain.recent.size === 0) continue;
      await bringIn(this.#tables, drain);
      this.#log.forget(drain.file);
    }
  }
}

/** What a file of the log tells that was left. */
interface LeftDrain extends Drain {
  readonly left: LogFileLeft;
}

interface StoreParts {
  readonly path: string;
  readonly lock: FolderLock;
  readonly environment: Environment;
  readonly catchUp: CatchUp;
  readonly log: RedoLog;
  readonly logBytes: number;
  readonly againMs: number;
  readonly drainBytes: number;
}
