import type { Table } from '../ports/store.ts';
import type { CountedStore } from './counted-store.ts';

/** One record that is written and never read. */
const PROBES: Table<true> = { name: 'store_probes' };

/**
 * Makes the periodic task that stores a record of a few bytes while changes cannot be stored: a
 * service that is not ready is given no work, and would never learn that it can store again. Each
 * attempt that fails is counted as any change that is not kept.
 */
export function createStoreProbe(store: Pick<CountedStore, 'write' | 'unstored'>): () => void {
  let isTrying = false;
  return () => {
    if (isTrying || store.unstored() === null) return;
    isTrying = true;
    const ended = (): void => void (isTrying = false);
    store.write((tx) => tx.put(PROBES, ['newest'], true)).then(ended, ended);
  };
}
