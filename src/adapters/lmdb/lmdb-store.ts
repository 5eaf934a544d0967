import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { LogHead } from '../../ports/commit-log.ts';
import type { SharedLog } from '../../ports/shared-log.ts';
import { makeFolder } from '../files/make-folder.ts';
import { createCatchUp } from './catch-up.ts';
import { assertFormatKnown, assertReachesAnchor, LOG_FORMAT, notedFormat } from './chain-anchor.ts';
import { setDamagedAside } from './data-file.ts';
import type { DiskStore } from './disk-store.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { NO_FRAME, parsed } from './frames.ts';
import { lockFolder } from './folder-lock.ts';
import { follow } from './follow.ts';
import { LayeredStore, type StoreParts } from './layered-store.ts';
import { logFolder, SegmentLog } from './segment-log.ts';
import { commitsAfter, framesAfter, packSegments, tailOf } from './segments.ts';
import { writeMark } from './shared-mark.ts';
import { behindShared, followShared } from './shared-tail.ts';
import { commitError, storeCorrupt } from './store-errors.ts';

/**
 * Opens the store on disk: a log that takes each commit with one write, and LMDB, which follows it
 * and answers what lies further back. What was changed since is also in memory, over LMDB. Changes
 * asked for while a commit is on its way to the disk share the next one, and a change resolves when
 * it is on disk. Errors: `store_locked` when another process has the folder, `store_corrupt` when
 * the log cannot be read, `store_unavailable` when there is no room for it or a newer version has
 * written it.
 */
export async function openLmdbStore({
  path,
  logBytes = STORE.logFileBytes,
  drainBytes = STORE.bytesPerDrain,
  againMs = STORE.catchUpAgainMs,
  lost = () => undefined,
  shared = null,
}: {
  /** Folder of the store, made when it is missing; one process at a time. */
  readonly path: string;
  /** Size of a file of the log, and what LMDB falls behind it; default STORE.logFileBytes. */
  readonly logBytes?: number;
  /** Where catching up has failed it is tried again after this; default STORE.catchUpAgainMs. */
  readonly againMs?: number;
  /**
   * Bytes of the log that LMDB takes in at once while commits go on; default STORE.bytesPerDrain.
   */
  readonly drainBytes?: number;
  /**
   * Called once when it is no longer known what is committed: all further changes are refused, and
   * the process is to end.
   */
  readonly lost?: (cause: AppError) => void;
  /** Decides what is committed, where several machines keep the log; null for this one alone. */
  readonly shared?: SharedLog | null;
}): Promise<DiskStore> {
  const lock = await lockFolder(path);
  const folder = logFolder(path);
  let environment: Environment | null = null;
  let log: SegmentLog | null = null;
  try {
    assertFormatKnown(path);
    let tail = tailOf(folder);
    if (shared !== null) {
      makeFolder(folder, 0o700);
      if ((await followShared(folder, shared, tail.at(-1))) > 0) tail = tailOf(folder);
    }
    // Before the first frame that is added here.
    writeMark(path, shared === null ? null : 'owned');
    const last = tail.at(-1);
    const newest = last === undefined ? null : parsed(last);
    const setAside = setDamagedAside(path, () => beginsLog(folder));
    environment = await openEnvironment(path);
    const { tables } = environment;
    // Nothing is changed in a folder that is refused.
    assertReaches(path, newest ?? NO_FRAME, tables.applied());
    assertReachesAnchor(path, newest === null ? 0 : newest.firstFact + newest.facts.length - 1);
    log = await SegmentLog.open({ folder, fileBytes: logBytes, againMs }, tail);
    const followTo = (upTo: number): Promise<void> =>
      follow(tables, commitsAfter(folder, tables.applied()), { upTo, atOnce: drainBytes });
    // The newest files alone are kept in memory: more is missing only where LMDB was made anew.
    const [oldest] = tail;
    if (oldest !== undefined) await followTo(oldest.seq - 1);
    const applied = tables.applied();
    const store = new LayeredStore({
      path,
      lock,
      environment,
      log: shared === null ? log : behindShared(log, shared),
      behind: tail.filter(({ seq }) => seq > applied.seq).map(parsed),
      finish: finishing(folder, log, () => followTo(Number.POSITIVE_INFINITY)),
      logBytes,
      drainBytes,
      againMs,
      lost,
      setAside,
      failuresOfLog: log.failures.bind(log),
      catchUp: createCatchUp(path),
    });
    // Before the first frame is written: a version that cannot read it must see so. Without room
    // for it the head is noted later.
    if (notedFormat(path) !== LOG_FORMAT) await store.anchorChain().catch(() => undefined);
    return store;
  } catch (cause) {
    await log?.close();
    await environment?.close();
    await lock.release();
    throw cause instanceof AppError ? cause : commitError(path, cause);
  }
}

/**
 * Makes the end of a log: LMDB takes in the rest of it, and its files are made small. Of one that
 * is lost nothing is believed before the next start.
 */
function finishing(
  folder: string,
  log: SegmentLog,
  followAll: () => Promise<void>,
): StoreParts['finish'] {
  return async (isLost) => {
    await log.close();
    if (isLost) return;
    await followAll()
      .then(() => packSegments(folder, log.head().seq, false))
      .catch(() => undefined);
  };
}

/** True when the log of a folder has its first frame. */
function beginsLog(folder: string): boolean {
  const [first] = framesAfter(folder, { seq: 0, hash: null });
  return first !== undefined;
}

/**
 * A log that ends before what LMDB has of it was cut, or is another one. Errors: `store_corrupt`.
 */
function assertReaches(path: string, head: LogHead, applied: LogHead): void {
  if (head.seq < applied.seq || (head.seq === applied.seq && head.hash !== applied.hash))
    throw storeCorrupt(
      path,
      `its log ends with frame ${head.seq}, and LMDB beside it has taken in frame ${applied.seq}`,
    );
}
