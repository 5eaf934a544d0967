import type { StoreWriter } from './store.ts';

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
