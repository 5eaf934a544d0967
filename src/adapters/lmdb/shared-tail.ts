import { STORE } from '../../../config/limits/store.ts';
import { AppendError, type CommitLog, type LogHead } from '../../ports/commit-log.ts';
import type { SharedLog, SharedReads } from '../../ports/shared-log.ts';
import { makeFolder } from '../files/make-folder.ts';
import { lockFolder } from './folder-lock.ts';
import { frameOf, framesIn, NO_FRAME } from './frames.ts';
import { logFolder } from './segment-log.ts';
import { addSegment, framesAfter, tailOf } from './segments.ts';
import { writeMark } from './shared-mark.ts';
import { storeCorrupt } from './store-errors.ts';

/**
 * Brings a folder's log up to the one that several machines keep; resolves with how many frames it
 * lacked. A folder that was a single machine's begins the shared log, as long as that is empty.
 * Errors: `store_corrupt` where the folder's log goes on otherwise, `store_unavailable`.
 */
export async function followShared(
  folder: string,
  shared: SharedLog,
  last: LogHead | undefined,
): Promise<number> {
  if (shared.head().seq === 0)
    for (const { seq, hash, bytes } of framesAfter(folder, NO_FRAME))
      await shared.append({ seq, hash, bytes });
  const tail = new SharedTail(folder, last ?? NO_FRAME);
  await tail.compare(shared);
  await tail.follow(shared);
  tail.put();
  return tail.added;
}

/** Keeps a store's folder up to a log that another process adds to. */
export interface Follower {
  /** The newest frame that was read. */
  head(): LogHead;
  /** Reads what was added. Errors: those of `followShared`. */
  follow(shared: SharedReads): Promise<void>;
  /** Writes what was read. */
  put(): void;
  /** Writes what was read, and lets the folder go. */
  close(): Promise<void>;
}

/** Opens a store's folder for a process that waits. Errors: `store_locked`, `store_corrupt`. */
export async function openFollower(path: string): Promise<Follower> {
  const lock = await lockFolder(path);
  const folder = logFolder(path);
  makeFolder(folder, 0o700);
  const tail = new SharedTail(folder, tailOf(folder).at(-1) ?? NO_FRAME);
  let isCompared = false;
  return {
    head: () => tail.reached,
    async follow(shared) {
      if (!isCompared) await tail.compare(shared);
      isCompared = true;
      // Before the first frame: a failover may take back what is read from here on.
      writeMark(path, 'followed');
      await tail.follow(shared);
    },
    put: () => tail.put(),
    async close() {
      tail.put();
      await lock.release();
    },
  };
}

/** What a folder lacks of a log: read in order, and written in files of the usual size. */
class SharedTail {
  readonly #folder: string;
  #reached: LogHead;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #added = 0;

  constructor(folder: string, { seq, hash }: LogHead) {
    this.#folder = folder;
    this.#reached = { seq, hash };
  }

  /** Frames that were read. */
  get added(): number {
    return this.#added;
  }

  /** The newest frame that was read. */
  get reached(): LogHead {
    return this.#reached;
  }

  /** Errors: `store_corrupt` where the folder's newest frame is not one of the shared log. */
  async compare(shared: SharedReads): Promise<void> {
    const { seq, hash } = this.#reached;
    if (seq > 0 && (await shared.hashOf(seq)) !== hash)
      throw storeCorrupt(
        this.#folder,
        `its frame ${seq} is not that of the shared log: move the folder away, and the next start makes it anew from there`,
      );
  }

  /** Reads on. Errors: `store_corrupt` where the log does not go on from what was read. */
  async follow(shared: SharedReads): Promise<void> {
    for await (const frame of shared.read(this.#reached.seq)) {
      const [found] = framesIn(Buffer.from(frame.bytes));
      const { seq: last, hash: previous } = this.#reached;
      if (found?.hash !== frame.hash || found.seq !== last + 1 || found.previous !== previous)
        throw storeCorrupt(
          this.#folder,
          `frame ${frame.seq} of the shared log does not follow frame ${last}`,
        );
      this.#reached = { seq: found.seq, hash: found.hash };
      this.#parts.push(frame.bytes);
      this.#bytes += frame.bytes.length;
      this.#added += 1;
      if (this.#bytes >= STORE.logFileBytes) this.put();
    }
  }

  /** Writes what was read and is not in a file yet. */
  put(): void {
    if (this.#parts.length > 0) addSegment(this.#folder, Buffer.concat(this.#parts));
    this.#parts = [];
    this.#bytes = 0;
  }
}

/**
 * A log whose frames are committed once the shared one has them, and are then written here. Where
 * that fails it is the shared log that a next start goes by.
 */
export function behindShared(local: CommitLog, shared: SharedLog): CommitLog {
  const memory = Buffer.allocUnsafe(STORE.frameBytes);
  return {
    head: () => local.head(),
    read: (afterSeq) => local.read(afterSeq),
    async append(draft) {
      const { frame, hash } = frameOf(draft, memory);
      await shared.append({ seq: draft.seq, hash, bytes: frame });
      try {
        return await local.append(draft);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new AppendError('undecided', `committed, and not written here: ${why}`, { cause });
      }
    },
  };
}
