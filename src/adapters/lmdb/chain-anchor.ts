import { existsSync, readFileSync, renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainLink } from '../../ports/store.ts';
import { storeCorrupt } from './store-errors.ts';

const ANCHOR = 'journal.head';
const LINE = /^(\d{1,15}):([0-9a-f]{64})\n$/;

/**
 * Writes the journal's newest link into a file of its own: `journal.head`, one line `seq:hash`,
 * whole whatever happens. Errors: those of the file system.
 */
export async function writeAnchor(folder: string, { seq, hash }: ChainLink): Promise<void> {
  const fresh = join(folder, `${ANCHOR}.new`);
  await writeFile(fresh, `${seq}:${hash}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, join(folder, ANCHOR));
}

/**
 * The link that was noted last; null where none ever was, `damaged` where the file holds something
 * else.
 */
export function readAnchor(folder: string): ChainLink | 'damaged' | null {
  const file = join(folder, ANCHOR);
  if (!existsSync(file)) return null;
  const [, seq, hash] = LINE.exec(readFileSync(file, 'latin1')) ?? [];
  return seq === undefined || hash === undefined ? 'damaged' : { seq: Number(seq), hash };
}

/**
 * A head is noted when its entry is on disk, so a journal that ends before it has lost entries: its
 * data file was emptied, taken away or put back older than the rest of the folder. To go on would
 * be to forget orders and, with an empty one, everybody's keys. Errors: `store_corrupt`.
 */
export function assertReachesAnchor(folder: string, lastSeq: number): void {
  const anchor = readAnchor(folder);
  if (anchor === null || anchor === 'damaged' || anchor.seq <= lastSeq) return;
  throw storeCorrupt(
    folder,
    `its journal ends at entry ${lastSeq}, and ${ANCHOR} beside it says that it went on to ${anchor.seq}`,
  );
}
