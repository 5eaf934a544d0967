import type { DomainEvent, JournalEntry } from '../domain/events.ts';
import type { Bus } from '../ports/bus.ts';
import type { Commit } from '../ports/commit.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { StoreWriter } from '../ports/store.ts';

/**
 * Called for each fact inside the transaction that appends it, after the records it speaks of were
 * written.
 */
export type FollowFacts = (tx: StoreWriter, event: DomainEvent) => void;

/**
 * Commits under way that append facts: they are published in the order of the journal, whichever of
 * them learns first that it is durable. As many as wait for the store.
 */
export interface CommitOrder {
  /** Puts a commit behind all whose facts came before, with the first fact of its last run. */
  enter(commit: CommitUnderWay): void;
  /**
   * Publishes a durable commit, and those that waited for it, once none before it runs any more.
   */
  over(commit: CommitUnderWay): void;
}

/** A commit and what it appended. */
interface CommitUnderWay {
  readonly bus: Bus;
  entries: JournalEntry[];
  /** `unproven` where its flush failed: it is durable too once that of a later one succeeds. */
  state: 'running' | 'written' | 'unproven' | 'durable';
}

/** Creates the order of the commits to one journal. */
export function createCommitOrder(): CommitOrder {
  /** In the order of the journal. */
  const underWay = new Set<CommitUnderWay>();

  function prove(newest: CommitUnderWay): void {
    for (const commit of underWay) {
      if (commit === newest) return;
      if (commit.state === 'unproven') commit.state = 'durable';
    }
  }

  return {
    enter(commit) {
      underWay.delete(commit);
      underWay.add(commit);
    },
    over(commit) {
      if (!underWay.has(commit)) return;
      if (commit.state === 'running') underWay.delete(commit);
      else if (commit.state === 'written') commit.state = 'unproven';
      else prove(commit);
      for (const first of underWay) {
        if (first.state !== 'durable') return;
        underWay.delete(first);
        first.bus.publish(first.entries);
      }
    },
  };
}

/** Makes the one way to change durable state: commit, flush, publish, in that order. */
export function createCommit({
  store,
  bus,
  metrics,
  follow = () => undefined,
  order = createCommitOrder(),
}: Pick<Runtime, 'store' | 'bus' | 'metrics'> & {
  /** Follows each fact inside its change, and may write beside it. */
  readonly follow?: FollowFacts;
  /** Shared by all that commit to one journal; absent where nothing else does. */
  readonly order?: CommitOrder;
}): Commit {
  return async (change, whenDurable) => {
    const stopTimer = metrics.startTimer('store_commit_seconds');
    const own: CommitUnderWay = { bus, entries: [], state: 'running' };
    try {
      const result = await store.write((tx) => {
        own.entries = [];
        return change(recording(tx, own, { order, follow }));
      });
      own.state = 'written';
      await store.flushed();
      own.state = 'durable';
      stopTimer();
      whenDurable?.(result);
      return result;
    } finally {
      // Also where what should have left at once did not, and where it failed: others wait for it.
      order.over(own);
    }
  };
}

/**
 * The writer, remembering what is appended. A change may run more than once: the last run's entries
 * count.
 */
function recording(
  tx: StoreWriter,
  own: CommitUnderWay,
  { order, follow }: { readonly order: CommitOrder; readonly follow: FollowFacts },
): StoreWriter {
  const writer: StoreWriter = {
    get: (table, key) => tx.get(table, key),
    range: (table, range) => tx.range(table, range),
    put: (table, key, value, expectedVersion) => tx.put(table, key, value, expectedVersion),
    remove: (table, key) => tx.remove(table, key),
    append(event: DomainEvent) {
      const seq = tx.append(event);
      if (own.entries.length === 0) order.enter(own);
      own.entries.push({ seq, event });
      follow(writer, event);
      return seq;
    },
  };
  return writer;
}
