import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { canonicalJson } from '../../../src/tools/replay/run-record.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Disk } from './disk.ts';

/** The store of a run in its folder, and what the world was when its process was killed. */
const STORE = 'store';
const WORLD = 'world';

/** A disk whose power failure kills this very process; the world it leaves is noted first. */
export function createDeadlyDisk(folder: string): Disk {
  return {
    open: () => openLmdbStore({ path: join(folder, STORE) }),
    cut(_moment, world) {
      writeFileSync(join(folder, WORLD), digestOf(world()));
      process.kill(process.pid, 'SIGKILL');
    },
  };
}

/**
 * A disk that takes a run to the point at which another process was killed, and goes on with what
 * that one left on its disk.
 */
export interface SucceedingDisk extends Disk {
  /** True once the run has come to that point, the world being as the killed process left it. */
  readonly hasSucceeded: boolean;
  /**
   * Closes and removes what only led there: a folder that is removed while it is open leaves its
   * lock to whichever folder gets its inode.
   */
  forget(): Promise<void>;
}

/**
 * The world of a scenario lives in the process that is killed. It is seeded and hears nothing but
 * the service, so the next process lives the scenario again to the same point on a disk of its own,
 * which makes the same world, and from there on has the killed process's disk. That the worlds are
 * the same is checked, by digest.
 */
export function createSucceedingDisk(folder: string): SucceedingDisk {
  const scratch = mkdtempSync(join(folder, 'again-'));
  let hasSucceeded = false;
  let ledThere: Store | null = null;
  return {
    get hasSucceeded() {
      return hasSucceeded;
    },
    async open() {
      const store = await openLmdbStore({ path: hasSucceeded ? join(folder, STORE) : scratch });
      if (!hasSucceeded) ledThere = store;
      return store;
    },
    cut(_moment, world) {
      const left = readFileSync(join(folder, WORLD), 'utf8');
      if (left !== digestOf(world()))
        throw new Error('the world is not the one the killed process left');
      hasSucceeded = true;
    },
    async forget() {
      await ledThere?.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

function digestOf(world: unknown): string {
  return createHash('sha256').update(canonicalJson(world)).digest('hex');
}
