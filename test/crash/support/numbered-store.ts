import { AppError } from '../../../src/domain/errors.ts';
import type { Store, StoreWriter } from '../../../src/ports/store.ts';

/** Called at each durable write; what it throws, the process meets instead of an answer. */
export interface WriteHooks {
  /** All of the write is known, nothing of it is stored. Gives its number. */
  before(): number;
  /** The write is stored, no caller knows yet. */
  after(write: number): void;
  /** All that was written is durable, no caller knows yet. */
  flushed(): void;
  /** True once the process is dead: nothing is written any more. */
  isDead(): boolean;
  /** True once another process has taken over: what this one writes is refused. */
  isReplaced(): boolean;
}

/** A store that tells of its durable writes; changes that change nothing are none. */
export interface NumberedStore extends Store {
  /** Writes and flushes the disk is at work on. */
  readonly pending: number;
}

/** Puts the hooks around a store. */
export function numbered(store: Store, hooks: WriteHooks): NumberedStore {
  let pending = 0;
  const atWork = async <T>(work: Promise<T>): Promise<T> => {
    pending += 1;
    try {
      return await work;
    } finally {
      pending -= 1;
    }
  };
  return {
    get pending() {
      return pending;
    },
    get: store.get.bind(store),
    range: store.range.bind(store),
    readJournal: store.readJournal.bind(store),
    readFacts: store.readFacts.bind(store),
    newestFact: store.newestFact.bind(store),
    readChain: store.readChain.bind(store),
    anchorChain: () => store.anchorChain(),
    close: () => store.close(),
    async write(change) {
      if (hooks.isDead()) return never();
      if (hooks.isReplaced()) throw replaced();
      let write: number | null = null;
      const result = await atWork(
        store.write((tx) => {
          if (hooks.isDead()) throw new Error('the process is dead');
          if (hooks.isReplaced()) throw replaced();
          const spied = spyOn(tx);
          const answer = change(spied.tx);
          if (spied.hasWritten()) write = hooks.before();
          return answer;
        }),
      );
      if (hooks.isDead()) return never();
      if (write !== null) hooks.after(write);
      return result;
    },
    async flushed() {
      if (hooks.isDead()) return never();
      if (hooks.isReplaced()) throw replaced();
      await atWork(store.flushed());
      if (hooks.isDead()) return never();
      hooks.flushed();
    },
  };
}

/** What an owner is answered that was replaced while it was held up (src/adapters/postgres). */
export function replaced(): AppError {
  return new AppError('store_unavailable', 'the shard has another owner', { retryable: true });
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

function spyOn(tx: StoreWriter): { readonly tx: StoreWriter; hasWritten(): boolean } {
  let isWritten = false;
  return {
    hasWritten: () => isWritten,
    tx: {
      get: tx.get,
      range: tx.range,
      put(table, key, value, expectedVersion) {
        isWritten = true;
        tx.put(table, key, value, expectedVersion);
      },
      remove(table, key) {
        isWritten = true;
        tx.remove(table, key);
      },
      append(event) {
        isWritten = true;
        return tx.append(event);
      },
    },
  };
}
