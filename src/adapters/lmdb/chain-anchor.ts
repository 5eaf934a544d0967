import { existsSync, readFileSync, renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainLink } from '../../ports/store.ts';

const ANCHOR = 'journal.head';
const LINE = /^(\d{1,15}):([0-9a-f]{64})\n$/;

/** Writes the journal's newest link into a file of its own: `journal.head`, one line `seq:hash`, whole whatever happens. Errors: those of the file system. */
export async function writeAnchor(folder: string, { seq, hash }: ChainLink): Promise<void> {
  const fresh = join(folder, `${ANCHOR}.new`);
  await writeFile(fresh, `${seq}:${hash}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, join(folder, ANCHOR));
}

/** The link that was noted last; null where none ever was, `damaged` where the file holds something else. */
export function readAnchor(folder: string): ChainLink | 'damaged' | null {
  const file = join(folder, ANCHOR);
  if (!existsSync(file)) return null;
  const [, seq, hash] = LINE.exec(readFileSync(file, 'latin1')) ?? [];
  return seq === undefined || hash === undefined ? 'damaged' : { seq: Number(seq), hash };
}
