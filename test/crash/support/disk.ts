import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Moment } from './live-through.ts';

/** What a process writes to, through all its lives. */
export interface Disk {
  /** Opens what is on it. */
  open(): Promise<Store>;
  /** The power goes; `world` is what it left outside. What `open` gives next is what is left. */
  cut(moment: Moment, world: () => unknown): void;
}

/**
 * A disk in memory: a power failure leaves what was flushed, and at the moment `after` all that was
 * committed.
 */
export function createMemoryDisk(): Disk {
  let store: MemoryStore = createMemoryStore();
  return {
    open: async () => store,
    cut(moment) {
      store = store.crash({ keptCommits: moment === 'after' ? store.commits : 0 });
    },
  };
}
