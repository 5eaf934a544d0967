import { mkdirSync } from 'node:fs';
import { open } from 'lmdb';
import type { RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits.ts';
import { AppError, assert } from '../../domain/errors.ts';
import {
  assertExpectedVersion, assertKey, assertRecord, assertSynchronous, assertTable,
} from '../../ports/store-rules.ts';
import type { Store, StoreWriter } from '../../ports/store.ts';
import { checkDataFile } from './data-file.ts';
import { lockFolder } from './folder-lock.ts';
import type { FolderLock } from './folder-lock.ts';
import { LmdbTables, TableMissing } from './lmdb-tables.ts';
import { commitError, isEngineError, storeCorrupt } from './store-errors.ts';

/** Where the store lives. */
export interface LmdbStoreOptions {
  /** Folder of the store, made when it is missing; one process at a time. */
  readonly path: string;
}

/** A change that waits for its commit. */
interface Waiting {
  run(tx: StoreWriter): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What became of a change inside a commit. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Opens the store on disk: LMDB, one environment, a named database per table, keys in ordered binary, records in msgpack
 * behind their version. Changes asked for in one turn of the event loop share one commit, each a child transaction of its
 * own, and a commit reaches the disk before its changes resolve.
 * Errors: `store_locked` when another process has the folder, `store_corrupt` when the file cannot be read.
 */
export async function openLmdbStore({ path }: LmdbStoreOptions): Promise<Store> {
  makeFolder(path);
  const lock = await lockFolder(path);
  try {
    return new LmdbStore(path, lock, await openEnvironment(path));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Environment {
  readonly root: RootDatabase;
  readonly tables: LmdbTables;
}

class LmdbStore implements Store {
  readonly #path: string;
  readonly #lock: FolderLock;
  readonly #root: RootDatabase;
  readonly #tables: LmdbTables;
  #waiting: Waiting[] = [];
  #lastSeq: number;
  #closing: Promise<void> | null = null;

  constructor(path: string, lock: FolderLock, { root, tables }: Environment) {
    this.#path = path;
    this.#lock = lock;
    this.#root = root;
    this.#tables = tables;
    this.#lastSeq = tables.lastSeq();
  }

  get: Store['get'] = (table, key) => {
    this.#assertOpen();
    return this.#tables.get(table, key);
  };

  range: Store['range'] = (table, range) => {
    this.#assertOpen();
    return this.#tables.range(table, range);
  };

  readJournal: Store['readJournal'] = (afterSeq, limit) => {
    this.#assertOpen();
    return this.#tables.readJournal(afterSeq, limit);
  };

  write<T>(change: (tx: StoreWriter) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#assertOpen();
      if (this.#waiting.length >= STORE.waitingChangesMaximum) {
        throw new AppError('store_unavailable', `${this.#waiting.length} changes wait for the store`, { retryable: true });
      }
      if (this.#waiting.length === 0) setImmediate(() => this.#commitWaiting());
      // `resolve` is called with what this very change gave.
      this.#waiting.push({ run: change, resolve: (result) => resolve(result as T), reject });
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

  async #close(): Promise<void> {
    while (this.#waiting.length > 0) this.#commitWaiting();
    await endOfTurn();
    await this.#root.close();
    await this.#lock.release();
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new AppError('store_unavailable', 'the store is closed');
  }

  #commitWaiting(): void {
    const batch = this.#waiting.slice(0, STORE.changesPerCommit);
    this.#waiting = this.#waiting.slice(batch.length);
    if (this.#waiting.length > 0) setImmediate(() => this.#commitWaiting());
    if (batch.length === 0) return;
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.#commit(batch);
    } catch (cause) {
      const error = commitError(this.#path, cause);
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    outcomes.forEach((outcome, index) => {
      if ('error' in outcome) batch[index]?.reject(outcome.error);
      else batch[index]?.resolve(outcome.result);
    });
  }

  /** Runs a batch in one transaction; when it needs new tables, makes them and runs it again from the start. */
  #commit(batch: readonly Waiting[]): readonly Outcome[] {
    const seqBefore = this.#lastSeq;
    for (;;) {
      try {
        return this.#root.transactionSync(() => batch.map((waiting) => this.#runChild(waiting)));
      } catch (error) {
        this.#lastSeq = seqBefore;
        if (!(error instanceof TableMissing)) throw error;
        this.#tables.create(error.table);
      }
    }
  }

  /** Runs one change in a child transaction: what it throws undoes it and leaves its neighbours alone. */
  #runChild(waiting: Waiting): Outcome {
    const seqBefore = this.#lastSeq;
    const writer = this.#writer();
    try {
      const result: unknown = this.#root.transactionSync(() => {
        const given = waiting.run(writer.tx);
        assertSynchronous(given);
        this.#tables.assertNoneMissing();
        // LMDB looks at what a transaction gives, so the result travels in a box.
        return { given };
      });
      // The callback above gives nothing else.
      return { result: (result as { readonly given: unknown }).given };
    } catch (error) {
      this.#lastSeq = seqBefore;
      if (error instanceof TableMissing || isEngineError(error)) throw error;
      return { error };
    } finally {
      writer.end();
    }
  }

  #writer(): { readonly tx: StoreWriter; end(): void } {
    let isOver = false;
    const tables = this.#tables;
    const assertRunning = (): void => assert(!isOver, 'a change of the store uses its writer only while it runs');
    const tx: StoreWriter = {
      get: (table, key) => {
        assertRunning();
        return tables.get(table, key);
      },
      range: (table, range) => {
        assertRunning();
        return tables.range(table, range);
      },
      put: (table, key, value, expectedVersion) => {
        assertRunning();
        assertExpectedVersion(expectedVersion);
        const version = tables.get(table, key)?.version ?? 0;
        if (expectedVersion !== undefined && version !== expectedVersion) {
          throw new AppError('conflict', `a ${table.name} record has version ${version}, not ${expectedVersion}`, { retryable: true });
        }
        assertRecord(value);
        tables.put(table, key, value, version + 1);
      },
      remove: (table, key) => {
        assertRunning();
        assertTable(table);
        assertKey(key);
        tables.remove(table, key);
      },
      append: (event) => {
        assertRunning();
        assertRecord(event);
        this.#lastSeq += 1;
        tables.append(this.#lastSeq, event);
        return this.#lastSeq;
      },
    };
    return { tx, end: () => { isOver = true; } };
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw storeCorrupt(path, 'the folder cannot be made', cause);
  }
}

async function openEnvironment(path: string): Promise<Environment> {
  const { isShort } = checkDataFile(path);
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
    const tables = new LmdbTables(root, path);
    if (isShort) tables.readAll();
    return { root, tables };
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
