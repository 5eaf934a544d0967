import type { DomainEvent, JournalEntry } from '../domain/events.ts';
import type { Bus } from '../ports/bus.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store, StoreWriter } from '../ports/store.ts';

/**
 * Runs one atomic change, waits until it would survive a power failure, and only then tells the bus
 * what was appended. `whenDurable` runs in between: what must leave at once leaves before the
 * listeners are called. Rejects with what the change threw, or `store_unavailable`; no listener
 * then hears anything.
 */
export type Commit = <T>(
  change: (tx: StoreWriter) => T,
  whenDurable?: (result: T) => void,
) => Promise<T>;

/**
 * Called for each fact inside the transaction that appends it, after the records it speaks of were
 * written.
 */
export type FollowFacts = (tx: StoreWriter, event: DomainEvent) => void;

export interface CommitDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly metrics: Metrics;
  /** Follows each fact inside its change, and may write beside it. */
  readonly follow?: FollowFacts;
}

/** Makes the one way to change durable state: commit, flush, publish, in that order. */
export function createCommit({
  store,
  bus,
  metrics,
  follow = () => undefined,
}: CommitDeps): Commit {
  return async (change, whenDurable) => {
    const stopTimer = metrics.startTimer('store_commit_seconds');
    let entries: JournalEntry[] = [];
    const result = await store.write((tx) => {
      entries = [];
      return change(recording(tx, entries, follow));
    });
    await store.flushed();
    stopTimer();
    whenDurable?.(result);
    if (entries.length > 0) bus.publish(entries);
    return result;
  };
}

/**
 * The writer, remembering what is appended. A change may run more than once: the last run's entries
 * count.
 */
function recording(tx: StoreWriter, entries: JournalEntry[], follow: FollowFacts): StoreWriter {
  const writer: StoreWriter = {
    get: (table, key) => tx.get(table, key),
    range: (table, range) => tx.range(table, range),
    put: (table, key, value, expectedVersion) => tx.put(table, key, value, expectedVersion),
    remove: (table, key) => tx.remove(table, key),
    append(event: DomainEvent) {
      const seq = tx.append(event);
      entries.push({ seq, event });
      follow(writer, event);
      return seq;
    },
  };
  return writer;
}
