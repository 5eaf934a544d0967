import type { JournalEntry } from '../domain/events.ts';

/**
 * Publishes committed and durable facts to its subscribers: sockets, push, metrics, machines. Never
 * before the commit, and in the order of the journal: a subscriber that received one received all
 * before it.
 */
export interface Bus {
  publish(entries: readonly JournalEntry[]): void;
  /**
   * A listener that throws is logged and does not stop the others. Gives the function that ends the
   * subscription.
   */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
}
