import { STORE } from '../../../config/limits/store.ts';
import { frameOf, framesIn, NO_FRAME, parsed } from '../../../src/adapters/lmdb/frames.ts';
import { behindShared } from '../../../src/adapters/lmdb/shared-tail.ts';
import { lostError, storeCorrupt } from '../../../src/adapters/lmdb/store-errors.ts';
import { FIRST_LINK, textOfFact } from '../../../src/adapters/memory/journal-chain.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError, assert } from '../../../src/domain/errors.ts';
import {
  AppendError,
  type CommitLog,
  type Frame,
  type LogHead,
  type RecordChange,
} from '../../../src/ports/commit-log.ts';
import type { SharedLog, SharedReads } from '../../../src/ports/shared-log.ts';
import type { Store, StoreWriter, Table } from '../../../src/ports/store.ts';

/** The folder of a machine, in memory: a copy of the log that begins alike. */
export interface Folder {
  head(): LogHead;
  /** What it has read of the log. */
  records(): Store;
  /**
   * Compares its newest frame with the log's, once a process, and reads what the log has beyond it.
   * Errors: `store_corrupt` where the log goes on otherwise.
   */
  follow(log: SharedReads): Promise<void>;
  /**
   * The store of a process that owns the shard; one at a time. `lost` is called once where it is
   * not known any more what is committed.
   */
  open(log: SharedLog, lost: (cause: AppError) => void): Store;
  /** The next process compares anew. */
  close(): void;
  /** Its disk is lost. */
  lose(): void;
  /** Its disk takes none of the next frames, which the log has by then. */
  refuse(frames: number): void;
}

/** Creates the folder of a machine that has read nothing. */
export function createFolder(name: string): Folder {
  let records = createMemoryStore();
  let head: LogHead = NO_FRAME;
  let isCompared = false;
  let refused = 0;

  async function take(bytes: Uint8Array): Promise<void> {
    const [found] = framesIn(Buffer.from(bytes));
    if (found === undefined || found.seq !== head.seq + 1 || found.previous !== head.hash)
      throw storeCorrupt(name, `a frame of the log does not follow frame ${head.seq}`);
    await put(records, parsed(found));
    head = { seq: found.seq, hash: found.hash };
  }

  const local: CommitLog = {
    head: () => head,
    read() {
      throw new AppError('internal', 'the records have all that was read');
    },
    async append(draft) {
      if (refused > 0) {
        refused -= 1;
        throw new AppendError('refused', 'no space left on device');
      }
      const { frame } = frameOf(draft, Buffer.allocUnsafe(STORE.frameBytes));
      await take(frame);
      return frame.length;
    },
  };

  return {
    head: () => head,
    records: () => records,
    async follow(log) {
      if (!isCompared && head.seq > 0 && (await log.hashOf(head.seq)) !== head.hash)
        throw storeCorrupt(name, `its frame ${head.seq} is not that of the log`);
      isCompared = true;
      for await (const { bytes } of log.read(head.seq)) await take(bytes);
    },
    open: (log, lost) => storeOver(records, { name, log: behindShared(local, log), lost }),
    close() {
      isCompared = false;
    },
    lose() {
      records = createMemoryStore();
      head = NO_FRAME;
      refused = 0;
    },
    refuse(frames) {
      refused = frames;
    },
  };
}

/** Brings records to where a frame has them, versions included. */
function put(records: Store, { facts, records: changes }: Frame): Promise<void> {
  return records.write((tx) => {
    for (const [name, key, version, value] of changes) {
      const table: Table<unknown> = { name };
      if (version < (tx.get(table, key)?.version ?? 0) || version === 0) tx.remove(table, key);
      while ((tx.get(table, key)?.version ?? 0) < version) tx.put(table, key, value);
    }
    for (const fact of facts) tx.append(fact);
  });
}

interface Waiting {
  run(tx: StoreWriter): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What a try is undone by. */
const UNDONE = new Error('undone');

/**
 * The store of an owner: changes are tried and undone, and become visible once the log has their
 * frame. What is asked meanwhile shares the next one.
 */
function storeOver(
  records: Store,
  {
    name,
    log,
    lost,
  }: {
    readonly name: string;
    readonly log: CommitLog;
    readonly lost: (cause: AppError) => void;
  },
): Store {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  let loss: AppError | null = null;
  let isClosed = false;

  async function commitWaiting(): Promise<void> {
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, STORE.changesPerCommit);
      waiting = waiting.slice(batch.length);
      await commit(batch);
    }
    running = null;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const { results, refusals, changes, facts } = await tried(records, batch);
    try {
      if (loss !== null) throw loss;
      if (changes.length + facts.length > 0) await append(changes, facts);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const one of batch) {
      if (refusals.has(one)) one.reject(refusals.get(one));
      else one.resolve(results.get(one));
    }
  }

  async function append(changes: readonly RecordChange[], facts: readonly string[]): Promise<void> {
    const { seq, hash: previous } = log.head();
    const newest = records.newestFact();
    const link = records.readChain(newest - 1, 1)[0]?.hash ?? FIRST_LINK;
    const draft = { seq: seq + 1, previous, firstFact: newest + 1, link, facts, records: changes };
    try {
      await log.append(draft);
    } catch (cause) {
      assert(cause instanceof AppendError, 'a log fails with what it has left');
      if (cause.failure === 'refused')
        throw new AppError('store_unavailable', cause.message, { retryable: true, cause });
      loss = lostError(name, cause);
      lost(loss);
      throw loss;
    }
  }

  return {
    get: (table, key) => records.get(table, key),
    range: (table, range) => records.range(table, range),
    readJournal: (afterSeq, limit) => records.readJournal(afterSeq, limit),
    readFacts: (reader, afterSeq, limit) => records.readFacts(reader, afterSeq, limit),
    newestFact: () => records.newestFact(),
    readChain: (afterSeq, limit) => records.readChain(afterSeq, limit),
    anchorChain: () => records.anchorChain(),
    async write<T>(change: (tx: StoreWriter) => T): Promise<T> {
      if (isClosed) throw new AppError('store_unavailable', 'the store is closed');
      if (loss !== null) throw loss;
      return new Promise<T>((resolve, reject) => {
        // `resolve` is called with what this very change gave.
        waiting.push({ run: change, resolve: (result) => resolve(result as T), reject });
        running ??= commitWaiting();
      });
    },
    flushed: async () => undefined,
    async close() {
      isClosed = true;
      await running;
    },
  };
}

/** What changes came to on top of what is there. */
interface Tried {
  readonly results: ReadonlyMap<Waiting, unknown>;
  readonly refusals: ReadonlyMap<Waiting, unknown>;
  readonly changes: readonly RecordChange[];
  readonly facts: readonly string[];
}

/** Runs changes one after another, and undoes them; without those that throw. */
async function tried(records: Store, batch: readonly Waiting[]): Promise<Tried> {
  const refusals = new Map<Waiting, unknown>();
  for (;;) {
    const results = new Map<Waiting, unknown>();
    const changes = new Map<string, RecordChange>();
    const facts: string[] = [];
    let isWhole = true;
    try {
      await records.write((tx) => {
        const writer = recording(tx, changes, facts);
        for (const one of batch) {
          if (refusals.has(one)) continue;
          try {
            results.set(one, one.run(writer));
          } catch (error) {
            refusals.set(one, error);
            isWhole = false;
            break;
          }
        }
        throw UNDONE;
      });
    } catch (error) {
      if (error !== UNDONE) throw error;
    }
    if (isWhole) return { results, refusals, changes: [...changes.values()], facts };
  }
}

/** A writer whose changes are noted, the last one of each record. */
function recording(
  tx: StoreWriter,
  changes: Map<string, RecordChange>,
  facts: string[],
): StoreWriter {
  return {
    get: (table, key) => tx.get(table, key),
    range: (table, range) => tx.range(table, range),
    put(table, key, value, expectedVersion) {
      tx.put(table, key, value, expectedVersion);
      const version = tx.get(table, key)?.version ?? 0;
      changes.set(JSON.stringify([table.name, key]), [table.name, key, version, value]);
    },
    remove(table, key) {
      const isThere = tx.get(table, key) !== null;
      tx.remove(table, key);
      if (isThere) changes.set(JSON.stringify([table.name, key]), [table.name, key, 0, null]);
    },
    append(event) {
      facts.push(textOfFact(event));
      return tx.append(event);
    },
  };
}
