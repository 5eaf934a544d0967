import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../ports/store.ts';

/** A store that says whether it stores. */
export interface CountedStore extends Store {
  /** Why the newest change could not be kept; null where it was. */
  unstored(): string | null;
}

/**
 * The same store, counting the changes it could not keep: a full disk, a failing one. A change that
 * throws by itself is not one of them.
 */
export function countedStore(store: Store, metrics: Metrics): CountedStore {
  let problem: string | null = null;
  const failed = (cause: unknown): never => {
    metrics.count('store_failures_total');
    problem = cause instanceof Error ? cause.message : String(cause);
    throw cause;
  };
  return {
    get: (table, key) => store.get(table, key),
    range: (table, range) => store.range(table, range),
    async write(change) {
      let own: unknown = null;
      try {
        const result = await store.write((tx) => {
          try {
            return change(tx);
          } catch (cause) {
            own = cause;
            throw cause;
          }
        });
        problem = null;
        return result;
      } catch (cause) {
        if (cause === own) throw cause;
        return failed(cause);
      }
    },
    readJournal: (afterSeq, limit) => store.readJournal(afterSeq, limit),
    readFacts: (reader, afterSeq, limit) => store.readFacts(reader, afterSeq, limit),
    newestFact: () => store.newestFact(),
    readChain: (afterSeq, limit) => store.readChain(afterSeq, limit),
    anchorChain: () => store.anchorChain().catch(failed),
    flushed: () => store.flushed().catch(failed),
    close: () => store.close(),
    unstored: () => problem,
  };
}
