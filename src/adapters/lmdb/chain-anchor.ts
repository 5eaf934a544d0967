import { existsSync, readFileSync, renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ChainLink } from '../../ports/store.ts';
import { storeCorrupt } from './store-errors.ts';

/** The file beside a log that says how far it goes. */
export const ANCHOR = 'journal.head';
const LINE = /^(\d{1,15}):([0-9a-f]{64})\n/;
const FORMAT_LINE = /^format (\d{1,9})$/m;

/**
 * Number of the format in which the log is written, and all that its frames hold. It grows when an
 * older version could no longer read, or would misread, what a newer one writes. Format 2: the
 * purpose of a transaction names its owner and holds its data apart.
 */
export const LOG_FORMAT = 2;

/**
 * Writes the journal's newest link into a file of its own: `journal.head`, one line `seq:hash` and
 * one with the log's format, whole whatever happens. Errors: those of the file system.
 */
export async function writeAnchor(folder: string, { seq, hash }: ChainLink): Promise<void> {
  const fresh = join(folder, `${ANCHOR}.new`);
  await writeFile(fresh, `${seq}:${hash}\nformat ${LOG_FORMAT}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, join(folder, ANCHOR));
}

/**
 * The link that was noted last; null where none ever was, `damaged` where the file holds something
 * else.
 */
export function readAnchor(folder: string): ChainLink | 'damaged' | null {
  const text = textOf(folder);
  if (text === null) return null;
  const [, seq, hash] = LINE.exec(text) ?? [];
  return seq === undefined || hash === undefined ? 'damaged' : { seq: Number(seq), hash };
}

/**
 * The format a folder's log is written in; null where none is noted, as before formats had numbers:
 * that is the first.
 */
export function notedFormat(folder: string): number | null {
  const [, format] = FORMAT_LINE.exec(textOf(folder) ?? '') ?? [];
  return format === undefined ? null : Number(format);
}

/**
 * Refuses a log that a newer version has written: what it says there may mean something else.
 * Errors: `store_unavailable`.
 */
export function assertFormatKnown(folder: string): void {
  const format = notedFormat(folder);
  if (format === null || format <= LOG_FORMAT) return;
  throw new AppError(
    'store_unavailable',
    `the log in ${folder} is written in format ${format}, and this version reads formats up to ${LOG_FORMAT}; start the newer version again, or restore a backup that was made before it.`,
  );
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

function textOf(folder: string): string | null {
  const file = join(folder, ANCHOR);
  return existsSync(file) ? readFileSync(file, 'latin1') : null;
}
