import { rmSync } from 'node:fs';
import { makeFolder } from '../adapters/files/make-folder.ts';
import { lockFolder } from '../adapters/lmdb/folder-lock.ts';
import { replaceLog, takeNewestOff } from '../adapters/lmdb/replace-log.ts';
import { logFolder } from '../adapters/lmdb/segment-log.ts';
import { framesAfter, tailOf, type FoundFrame } from '../adapters/lmdb/segments.ts';
import { readMark } from '../adapters/lmdb/shared-mark.ts';
import { AppError } from '../domain/errors.ts';
import type { LogHead } from '../ports/commit-log.ts';
import type { ShardSnapshots, SnapshotHead, SnapshotState } from '../ports/shard-snapshots.ts';
import type { SharedReads } from '../ports/shared-log.ts';
import { restoreSnapshot } from './make-snapshot.ts';
import { BrokenShard } from './broken-shard.ts';

/** A folder, and the shared log it is to follow. */
export interface SharedFolderParts {
  /** Folder of the store. */
  readonly path: string;
  /** A folder to restore in; what is in it is removed. */
  readonly scratch: string;
  readonly reads: SharedReads;
  /** Which other shard's log has a frame; null where none has. */
  readonly otherShardOf: (frame: LogHead) => Promise<number | null>;
  readonly snapshots: Pick<ShardSnapshots, 'state' | 'restored' | 'read' | 'distrust'>;
  /** Shows a line to the person at the terminal. */
  readonly print: (line: string) => void;
}

/**
 * Makes a folder ready to follow a shared log, before its shard is asked for: an empty one, or one
 * that ends before what the log still has, begins with the newest snapshot that can be restored. A
 * frame that was read and that a failover took back is taken off: one may be on its way at a time.
 * False where the log is empty, and begins with what the folder has. Errors: `BrokenShard` where
 * people are to decide, `store_locked`, `store_unavailable`.
 */
export async function prepareFolder(parts: SharedFolderParts): Promise<boolean> {
  const lock = await lockFolder(parts.path);
  try {
    makeFolder(logFolder(parts.path), 0o700);
    rmSync(parts.scratch, { recursive: true, force: true });
    return await prepare(parts);
  } finally {
    rmSync(parts.scratch, { recursive: true, force: true });
    await lock.release();
  }
}

async function prepare(parts: SharedFolderParts): Promise<boolean> {
  const { path, reads, snapshots, print } = parts;
  const last = tailIn(path);
  // Before the state: what is trimmed meanwhile is seen there.
  const hash = last === null ? null : await reads.hashOf(last.seq);
  const state = await snapshots.state();
  const { head, first, restoredSeq } = state;
  if (head === 0 && first === null && restoredSeq === null) {
    if (last !== null && readMark(path) !== null) throw await differs(parts, last, state);
    return false;
  }
  if (last === null) {
    const restored =
      restoredSeq === null && first === 1 ? null : await restoreNewest(parts, state, null);
    if (restored !== null)
      print(`predictd: the folder begins with the snapshot at frame ${restored.seq}`);
  } else if (hash === null && first !== null && last.seq < first) {
    await restoreNewest(parts, state, last);
    print(`predictd: the folder ended at frame ${last.seq}, before the log: made anew`);
  } else if (hash !== last.hash) {
    const isTakenBack =
      readMark(path) === 'followed' &&
      (await parts.otherShardOf(last)) === null &&
      (last.seq === 1 || (await reads.hashOf(last.seq - 1)) === last.previous);
    if (!isTakenBack || !takeNewestOff(path)) throw await differs(parts, last, state);
    print(`predictd: frame ${last.seq} was taken back by the database, and is kept beside the log`);
  }
  return true;
}

/**
 * Puts the newest snapshot in place that can be restored, and that has a frame where one is given;
 * null where none can and the log has all frames. Those that cannot count no longer.
 */
async function restoreNewest(
  parts: SharedFolderParts,
  state: SnapshotState,
  last: FoundFrame | null,
): Promise<SnapshotHead | null> {
  const { path, scratch, reads, snapshots, print } = parts;
  const faults: string[] = [];
  for (const head of await snapshots.restored()) {
    rmSync(scratch, { recursive: true, force: true });
    try {
      await restoreSnapshot(snapshots, head, scratch);
    } catch (cause) {
      if (!(cause instanceof AppError) || cause.code !== 'store_corrupt') throw cause;
      faults.push(cause.message);
      print(`predictd: ${cause.message}; the one before it is used`);
      await snapshots.distrust(head);
      continue;
    }
    if ((await reads.hashOf(head.seq)) !== head.hash) {
      faults.push(`the log has another frame in the place of frame ${head.seq} of its snapshot`);
      continue;
    }
    if (last !== null && hashIn(scratch, last.seq) !== last.hash)
      throw await differs(parts, last, state);
    replaceLog(path, scratch);
    return head;
  }
  const { first } = state;
  if (first === 1 && last === null) return null;
  const why = faults.length === 0 ? 'no snapshot counts' : faults.join('; ');
  throw new BrokenShard(
    'snapshot_missing',
    `the log begins at frame ${first ?? 'none'}, and no snapshot can be restored: ${why}`,
  );
}

/** Errors: `BrokenShard`. */
function tailIn(path: string): FoundFrame | null {
  try {
    return tailOf(logFolder(path)).at(-1) ?? null;
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'store_corrupt') throw cause;
    throw new BrokenShard('folder_damaged', cause.message, cause);
  }
}

/** Says whose the frame is that the log does not have. */
async function differs(
  { path, otherShardOf }: SharedFolderParts,
  { seq, hash }: FoundFrame,
  { head }: SnapshotState,
): Promise<BrokenShard> {
  const other = await otherShardOf({ seq, hash });
  if (other !== null)
    return new BrokenShard('folder_foreign', `${path} has the log of shard ${other}`);
  return readMark(path) === null
    ? new BrokenShard(
        'folder_foreign',
        `frame ${seq} of ${path} is not that of the shared log, and was not read from there`,
      )
    : new BrokenShard(
        'commit_log_lost',
        `${path} has frame ${seq} of the shared log, which is at ${head} and does not have it`,
      );
}

function hashIn(store: string, seq: number): string | null {
  const [frame] = framesAfter(logFolder(store), { seq: seq - 1, hash: null });
  return frame?.seq === seq ? frame.hash : null;
}
