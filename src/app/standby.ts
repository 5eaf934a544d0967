import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { openFollower, type Follower } from '../adapters/lmdb/shared-tail.ts';
import { AppError } from '../domain/errors.ts';
import type { LogHead } from '../ports/commit-log.ts';
import type { SharedReads } from '../ports/shared-log.ts';
import type { ShardState } from '../domain/shard-states.ts';
import { BrokenShard } from './broken-shard.ts';

/** A folder that follows the log while its process waits for the shard. */
export interface Standby {
  /** Reads what was added. Errors: `BrokenShard`, `store_locked`, `store_unavailable`. */
  follow(log: SharedReads): Promise<void>;
  /** The newest frame that was read; null before the first round. */
  head(): LogHead | null;
  /** Writes what was read. */
  put(): void;
  /**
   * Ends it once the shard is taken: what was read has to be in the log by now, and a frame that a
   * failover took back is let go. Errors: those of `follow`.
   */
  settle(log: Pick<SharedReads, 'hashOf'>): Promise<void>;
  close(): Promise<void>;
}

/** Makes the standby of a folder that is ready to follow. */
export function createStandby({
  path,
  prepare,
  became,
}: {
  /** Folder of the store. */
  readonly path: string;
  /** Makes the folder ready again where it cannot go on (`prepareFolder`). */
  readonly prepare: () => Promise<unknown>;
  readonly became: (state: ShardState) => void;
}): Standby {
  let follower: Follower | null = null;
  let rebuilds = 0;

  async function close(): Promise<void> {
    const closing = follower;
    follower = null;
    await closing?.close();
  }

  return {
    head: () => follower?.head() ?? null,
    put: () => follower?.put(),
    close,
    async settle(log) {
      const head = follower?.head() ?? null;
      await close();
      if (head === null || head.seq === 0) return;
      if ((await log.hashOf(head.seq)) !== head.hash) await prepare();
    },
    async follow(log) {
      try {
        if (follower === null) became({ kind: 'catching_up' });
        follower ??= await openFollower(path);
        await follower.follow(log);
        became({ kind: 'following' });
      } catch (cause) {
        if (!(cause instanceof AppError) || cause.code !== 'store_corrupt') throw cause;
        // The log was trimmed past it, or a failover has taken back what it read.
        await close();
        became({ kind: 'catching_up' });
        if (rebuilds === SHARD_SNAPSHOT.rebuildsMaximum)
          throw new BrokenShard('log_damaged', cause.message, cause);
        rebuilds += 1;
        await prepare();
      }
    },
  };
}
