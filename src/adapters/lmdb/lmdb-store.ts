import { mkdirSync } from 'node:fs';
import { open } from 'lmdb';
import type { RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import { assertSynchronous } from '../../ports/store-rules.ts';
import type { ChainLink, Key, Store, StoreWriter } from '../../ports/store.ts';
import { workThrough } from '../clock/worked-turn.ts';
import { linksOf, textOfFact } from '../memory/journal-chain.ts';
import { writeAnchor } from './chain-anchor.ts';
import { checkDataFile } from './data-file.ts';
import { lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import type { View } from './layered-view.ts';
import { readMany, readOne, writerOver } from './layered-view.ts';
import { LmdbTables } from './lmdb-tables.ts';
import { RecentChanges, REMOVED } from './recent-changes.ts';
import type { RedoRecord } from './redo-log.ts';
import { readRedoLog, RedoLog } from './redo-log.ts';
import { commitError, storeCorrupt } from './store-errors.ts';

/** Where the store lives. */
export interface LmdbStoreOptions {
  /** Folder of the store, made when it is missing; one process at a time. */
  readonly path: string;
  /** Size of a file of the log; default STORE.logFileBytes. */
  readonly logBytes?: number;
}

/**
 * Opens the store on disk: a redo log that takes each commit with one write, and LMDB, which is brought up to date behind it and
 * answers what lies further back. What was changed since is also in memory, over LMDB. Changes asked for while a commit is on
 * its way to the disk share the next one, and a change resolves when it is on disk.
 * Errors: `store_locked` when another process has the folder, `store_corrupt` when a file cannot be read, `store_unavailable`
 * when there is no room for the log.
 */
export async function openLmdbStore({ path, logBytes = STORE.logFileBytes }: LmdbStoreOptions): Promise<Store> {
  makeFolder(path);
  const lock = await lockFolder(path);
  try {
    const { root, tables } = await openEnvironment(path);
    return new LmdbStore({ path, lock, root, tables, log: await openLog(path, tables, logBytes), logBytes });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Brings LMDB up to date with what the last run left in its log, and starts a new one. */
async function openLog(path: string, tables: LmdbTables, logBytes: number): Promise<RedoLog> {
  const { redos, last } = readRedoLog(path, tables.redoDone());
  const recent = new RecentChanges();
  let head = tables.linkOf((redos[0]?.firstSeq ?? 1) - 1);
  for (const redo of redos) {
    const { records, events, firstSeq } = redo;
    if (redo.head !== undefined && redo.head !== head) throw storeCorrupt(path, `its log does not continue the journal at entry ${firstSeq}`);
    for (const [table, key, version, value] of records) recent.set(table, { key, version, value });
    for (const event of events) recent.append(event);
    const links = linksOf(head, firstSeq, events.map(textOfFact));
    recent.chain(links);
    head = links.at(-1) ?? head;
  }
  try {
    if (recent.size > 0) await bringIn(tables, { recent, firstSeq: redos[0]?.firstSeq ?? 1, file: last }, STORE.recordsPerStartDrain);
    const log = await RedoLog.start(path, last, logBytes);
    log.forget(last);
    return log;
  } catch (cause) {
    throw commitError(path, cause);
  }
}

/** Recent changes and where they belong: the number of their first fact, and the log's last file that tells of them. */
interface Drain {
  readonly recent: RecentChanges;
  readonly firstSeq: number;
  readonly file: number;
}

/** Writes recent changes to LMDB in commits of a bounded size, other work going on in between, then says which file of the log is done with. */
async function bringIn(tables: LmdbTables, { recent, firstSeq, file }: Drain, atOnce: number = STORE.recordsPerDrain): Promise<void> {
  // Read on as they are written: to list them all first would hold the event loop.
  const records = recent.records();
  const { events, links } = recent;
  for (let from = 0; ; from += atOnce) {
    const [some, to] = [take(records, atOnce), from + atOnce];
    if (some.length === 0 && from >= events.length) break;
    tables.write(some, { firstSeq: firstSeq + from, events: events.slice(from, to), links: links.slice(from, to) });
    await endOfTurn();
  }
  tables.setRedoDone(file);
}

function take<T>(from: Iterator<T>, most: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < most) {
    const { done, value } = from.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** A change that waits for its commit. */
interface Waiting {
  run(tx: StoreWriter): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What became of a change inside a commit. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

class LmdbStore implements Store {
  readonly #path: string;
  readonly #lock: FolderLock;
  readonly #root: RootDatabase;
  readonly #tables: LmdbTables;
  readonly #log: RedoLog;
  readonly #logBytes: number;
  #waiting: Waiting[] = [];
  /** Durable, and not yet in LMDB: what the current file of the log tells, and what is on its way from the one before. */
  #recent = new RecentChanges();
  #draining: Drain | null = null;
  /** The drain under way; a failed one is tried again with the next commit. */
  #drain: Promise<void> | null = null;
  /** The log's next file, while it is being made. */
  #preparing: Promise<void> | null = null;
  #lastSeq: number;
  /** The link of entry `#lastSeq`. */
  #headHash: string;
  #anchored: Promise<void> = Promise.resolve();
  #committing: Promise<void> | null = null;
  #telling: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor({ path, lock, root, tables, log, logBytes }: StoreParts) {
    this.#path = path;
    this.#lock = lock;
    this.#root = root;
    this.#tables = tables;
    this.#log = log;
    this.#logBytes = logBytes;
    this.#lastSeq = tables.lastSeq();
    this.#headHash = tables.head().hash;
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
    const found = [...this.#tables.readJournal(afterSeq, limit)];
    const recent = [...(this.#draining?.recent.events ?? []), ...this.#recent.events];
    const recentFrom = this.#lastSeq - recent.length + 1;
    for (let seq = Math.max(afterSeq, found.at(-1)?.seq ?? 0) + 1; seq <= this.#lastSeq && found.length < limit; seq += 1) {
      const event = recent[seq - recentFrom];
      if (event !== undefined) found.push({ seq, event });
    }
    return found;
  };

  readChain: Store['readChain'] = (afterSeq, limit) => {
    this.#assertOpen();
    const found = [...this.#tables.readChain(Math.max(0, afterSeq), limit)];
    const recent = [...(this.#draining?.recent.links ?? []), ...this.#recent.links];
    const recentFrom = this.#lastSeq - recent.length + 1;
    for (let seq = Math.max(0, afterSeq, found.at(-1)?.seq ?? 0) + 1; seq <= this.#lastSeq && found.length < limit; seq += 1) {
      const hash = recent[seq - recentFrom];
      if (hash !== undefined) found.push({ seq, hash });
    }
    return found;
  };

  async anchorChain(): Promise<ChainLink> {
    this.#assertOpen();
    return this.#anchor();
  }

  /** One after another: they share a file. */
  #anchor(): Promise<ChainLink> {
    const head = { seq: this.#lastSeq, hash: this.#headHash };
    const written = this.#anchored.then(() => writeAnchor(this.#path, head));
    this.#anchored = written.catch(() => undefined);
    return written.then(() => head);
  }

  write<T>(change: (tx: StoreWriter) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#assertOpen();
      if (this.#waiting.length >= STORE.waitingChangesMaximum) {
        throw new AppError('store_unavailable', `${this.#waiting.length} changes wait for the store`, { retryable: true });
      }
      // `resolve` is called with what this very change gave.
      this.#waiting.push({ run: change, resolve: (result) => resolve(result as T), reject });
      this.#committing ??= this.#commitWaiting();
    });
  }

  /** A commit is on disk before its changes resolve, so there is nothing left to wait for. */
  async flushed(): Promise<void> {
    this.#assertOpen();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What LMDB does not take in is told again by the log, at the next start. */
  async #close(): Promise<void> {
    await this.#committing;
    await this.#telling;
    // Without room for it the anchor stays as it was, which is no less true.
    await this.#anchor().catch(() => undefined);
    await Promise.all([this.#preparing, this.#drain]);
    if (this.#draining === null && this.#recent.size > 0) {
      this.#startDrain(this.#log.number);
      await this.#drain;
    }
    this.#log.close();
    await endOfTurn();
    await this.#root.close();
    await this.#lock.release();
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new AppError('store_unavailable', 'the store is closed');
  }

  #view(...above: readonly RecentChanges[]): View {
    const drained = this.#draining === null ? [] : [this.#draining.recent];
    return { layers: [...above, this.#recent, ...drained], tables: this.#tables };
  }

  /** Commits until nothing waits: what is asked for in one turn, and while a commit is under way, goes together. */
  async #commitWaiting(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#commit();
      await this.#makeRoom();
    }
    this.#committing = null;
  }

  /** Takes as many of the waiting changes as the event loop can spare: those left behind go into the next commit. */
  async #commit(): Promise<void> {
    const staged = new RecentChanges();
    const batch: Waiting[] = [];
    const outcomes: Outcome[] = [];
    const untilMs = performance.now() + STORE.commitHoldMs;
    for (const waiting of this.#waiting) {
      if (batch.length > 0 && (batch.length >= STORE.changesPerCommit || performance.now() >= untilMs)) break;
      batch.push(waiting);
      outcomes.push(this.#run(waiting, staged));
    }
    this.#waiting = this.#waiting.slice(batch.length);
    let failure: AppError | null = null;
    try {
      await this.#store(staged);
    } catch (cause) {
      failure = commitError(this.#path, cause);
    }
    const tellings = outcomes.map((outcome, index) => () => {
      if ('error' in outcome) batch[index]?.reject(outcome.error);
      else if (failure !== null) batch[index]?.reject(failure);
      else batch[index]?.resolve(outcome.result);
    });
    // In the order of the commits, while the next one is under way. Each goes on at once when told: a turn of the event loop has room for so many.
    await this.#telling;
    this.#telling = workThrough(tellings, STORE.telling);
  }

  /** Runs one change on top of those of its commit: what it throws undoes it and leaves its neighbours alone. */
  #run(waiting: Waiting, staged: RecentChanges): Outcome {
    const own = new RecentChanges();
    const writer = writerOver(this.#view(own, staged), { own, firstSeq: this.#lastSeq + staged.events.length + 1 });
    try {
      const result = waiting.run(writer.tx);
      assertSynchronous(result);
      staged.absorb(own);
      return { result };
    } catch (error) {
      return { error };
    } finally {
      writer.end();
    }
  }

  async #store(staged: RecentChanges): Promise<void> {
    if (staged.size === 0) return;
    const records = [...staged.records()].map(([table, { key, version, value }]): RedoRecord => [table, key, version, version === REMOVED ? null : value]);
    const firstSeq = this.#lastSeq + 1;
    const texts = staged.events.map(textOfFact);
    const onDisk = this.#log.append({ firstSeq, head: this.#headHash, texts, records });
    // Chained while the disk is at work: the order that waits for it does not wait for this.
    const links = linksOf(this.#headHash, firstSeq, texts);
    await onDisk;
    this.#recent.absorb(staged);
    this.#recent.chain(links);
    this.#lastSeq += staged.events.length;
    this.#headHash = links.at(-1) ?? this.#headHash;
    for (const [table, { key, version }] of staged.records()) if (version === REMOVED && !this.#isBelow(table, key)) this.#recent.forget(table, key);
  }

  /** True when LMDB has the record, or is to have it. Short-lived records would else leave a trail that every range read walks. */
  #isBelow(table: string, key: Key): boolean {
    return (this.#draining?.recent.get(table, key) ?? null) !== null || this.#tables.get(table, key) !== null;
  }

  /**
   * Makes the log's next file ready while the current one fills, goes on in it once that is full, and lets LMDB catch up with the
   * one left behind. Commits wait for this only when the current file has grown to twice its size.
   */
  async #makeRoom(): Promise<void> {
    if (this.#log.size * 2 < this.#logBytes) return;
    // Without room on the disk the current file grows as long as it can; a commit it cannot take is refused.
    this.#preparing ??= this.#log.prepare().catch(() => undefined).finally(() => { this.#preparing = null; });
    if (this.#log.size < this.#logBytes) return;
    if (this.#draining !== null) this.#drain ??= this.#bringIn(this.#draining);
    if (this.#log.size >= this.#logBytes * 2) await Promise.all([this.#preparing, this.#drain]);
    const { number } = this.#log;
    if (this.#draining === null && this.#log.goOn()) this.#startDrain(number);
  }

  /** Lets LMDB take in what the log's files up to `file` tell. */
  #startDrain(file: number): void {
    this.#draining = { recent: this.#recent, firstSeq: this.#lastSeq - this.#recent.events.length + 1, file };
    this.#recent = new RecentChanges();
    this.#drain = this.#bringIn(this.#draining);
  }

  async #bringIn(drain: Drain): Promise<void> {
    try {
      await bringIn(this.#tables, drain);
      this.#log.forget(drain.file);
      this.#draining = null;
    } catch {
      // The log still tells of it, and so does the memory: tried again with the next commit.
    }
    this.#drain = null;
  }
}

interface StoreParts {
  readonly path: string;
  readonly lock: FolderLock;
  readonly root: RootDatabase;
  readonly tables: LmdbTables;
  readonly log: RedoLog;
  readonly logBytes: number;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw storeCorrupt(path, 'the folder cannot be made', cause);
  }
}

async function openEnvironment(path: string): Promise<{ readonly root: RootDatabase; readonly tables: LmdbTables }> {
  checkDataFile(path);
  let root: RootDatabase;
  try {
    root = open({
      path, noSubdir: false, maxDbs: STORE.tablesMaximum, mapSize: STORE.mapBytes,
      // A commit then writes its pages to disk before the page that makes them count, and returns when both are there.
      overlappingSync: false,
    });
  } catch (cause) {
    throw storeCorrupt(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  try {
    return { root, tables: new LmdbTables(root, path) };
  } catch (error) {
    await endOfTurn();
    await root.close();
    throw error;
  }
}

/** LMDB keeps its read transaction until the end of the turn, and would wait for it in vain when it closes before. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
