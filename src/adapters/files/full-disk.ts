/** Codes of a write for which there is no room: on the disk, or in the account's share of it. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);
const CAUSES_MAXIMUM = 5;

/**
 * Returns what to tell a person whose disk is full, with the folder that lies on it; null for a
 * failure of another kind.
 */
export function fullDiskSentence(cause: unknown, folder: string): string | null {
  let inner = cause;
  for (let depth = 0; inner instanceof Error && depth < CAUSES_MAXIMUM; depth += 1) {
    if ('code' in inner && NO_ROOM.has(String(inner.code)))
      return `the disk that holds ${folder} is full; make room there and start again: what was acknowledged is kept.`;
    inner = inner.cause;
  }
  return null;
}
