import { AppendError, type CommitLog, type LogHead } from '../../ports/commit-log.ts';
import type { SharedLog } from '../../ports/shared-log.ts';
import { STORE } from '../../../config/limits/store.ts';
import { frameOf, framesIn, NO_FRAME } from './frames.ts';
import { addSegment, framesAfter } from './segments.ts';
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
  const local = last ?? NO_FRAME;
  if (shared.head().seq === 0)
    for (const { seq, hash, bytes } of framesAfter(folder, NO_FRAME))
      await shared.append({ seq, hash, bytes });
  if (local.seq > 0 && (await shared.hashOf(local.seq)) !== local.hash)
    throw storeCorrupt(
      folder,
      `its frame ${local.seq} is not that of the shared log: move the folder away, and the next start makes it anew from there`,
    );
  let reached: LogHead = local;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let added = 0;
  const put = (): void => {
    if (parts.length > 0) addSegment(folder, Buffer.concat(parts));
    [parts, bytes] = [[], 0];
  };
  for await (const frame of shared.read(local.seq)) {
    const [found] = framesIn(Buffer.from(frame.bytes));
    if (
      found?.hash !== frame.hash ||
      found.seq !== reached.seq + 1 ||
      found.previous !== reached.hash
    )
      throw storeCorrupt(
        folder,
        `frame ${frame.seq} of the shared log does not follow ${reached.seq}`,
      );
    reached = found;
    parts.push(frame.bytes);
    bytes += frame.bytes.length;
    added += 1;
    if (bytes >= STORE.logFileBytes) put();
  }
  put();
  return added;
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
