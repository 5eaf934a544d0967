import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LogCopy } from '../adapters/lmdb/log-copy.ts';
import { checkLog } from '../adapters/lmdb/log-check.ts';
import { partsOf, writeParts } from '../adapters/lmdb/snapshot-files.ts';
import { storeCorrupt } from '../adapters/lmdb/store-errors.ts';
import type { LogHead } from '../ports/commit-log.ts';
import type { ShardSnapshots, SnapshotHead } from '../ports/shard-snapshots.ts';

/** What a snapshot is made of, and where. */
export interface SnapshotOrder {
  /** Folder of a store that follows a shard's log, or owns it; it may be written to meanwhile. */
  readonly store: string;
  /** A folder for the copy and for the restored one; what is in it is removed. */
  readonly scratch: string;
  readonly snapshots: ShardSnapshots;
}

/**
 * Makes a snapshot of a folder's log: the content of a backup (`backup.ts`), sealed as that is. It
 * is read back into an empty folder, and counts only where that is what the log is. Gives its last
 * frame; null where another process makes one, the folder has no frame yet, or the log does not
 * have the frame. Errors: `store_corrupt`, `store_unavailable`, `conflict`, those of the file
 * system.
 */
export async function makeSnapshot({
  store,
  scratch,
  snapshots,
}: SnapshotOrder): Promise<LogHead | null> {
  rmSync(scratch, { recursive: true, force: true });
  try {
    const { seq, hash } = await copyOf(store, join(scratch, 'copy'));
    if (seq === 0) return null;
    const writer = await snapshots.begin({ seq, hash });
    if (writer === null) return null;
    for (const part of partsOf(join(scratch, 'copy'))) await writer.add(part);
    const head = await writer.finish();
    await restoreSnapshot(snapshots, head, join(scratch, 'restored'));
    if (!(await snapshots.markRestored(head))) return null;
    await snapshots.prune();
    return { seq, hash };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Writes a snapshot into an empty folder, as the log of a store, and reads all of it. Errors:
 * `store_corrupt` where a part, or a frame, is not what was written, `store_unavailable`.
 */
export async function restoreSnapshot(
  snapshots: Pick<ShardSnapshots, 'read'>,
  head: SnapshotHead,
  target: string,
): Promise<void> {
  await writeParts(target, snapshots.read(head));
  const { frame } = checkLog(target);
  if (frame.seq !== head.seq || frame.hash !== head.hash)
    throw storeCorrupt(target, `the snapshot at frame ${head.seq} ends at frame ${frame.seq}`);
}

async function copyOf(store: string, target: string): Promise<LogHead> {
  const copy = LogCopy.begin(store, target);
  try {
    await copy.takeOver();
    copy.check();
    return copy.end().frame;
  } finally {
    copy.close();
  }
}
