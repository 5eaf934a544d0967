import { open, type RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { LmdbTables } from './lmdb-tables.ts';
import { storeCorrupt } from './store-errors.ts';

/** LMDB, open. */
export interface Environment {
  readonly tables: LmdbTables;
  close(): Promise<void>;
}

/**
 * Opens LMDB in a folder. A second thread of the process may do the same: both then have one file
 * and one map. Errors: `store_corrupt`.
 */
export async function openEnvironment(path: string): Promise<Environment> {
  const root = openRoot(path);
  const close = async (): Promise<void> => {
    // LMDB keeps its read transaction until the end of the turn, and would wait for it in vain when
    // it closes before.
    await endOfTurn();
    await root.close();
  };
  try {
    return { tables: new LmdbTables(root, path), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openRoot(path: string): RootDatabase {
  try {
    return open({
      path,
      noSubdir: false,
      maxDbs: STORE.tablesMaximum,
      mapSize: STORE.mapBytes,
      // A commit then writes its pages to disk before the page that makes them count, and returns
      // when both are there.
      overlappingSync: false,
    });
  } catch (cause) {
    throw storeCorrupt(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Lets other work of the thread go on. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
