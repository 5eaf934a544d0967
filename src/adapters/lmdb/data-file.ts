import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { arePagesWhole } from './data-pages.ts';
import { storeCorrupt, storeUnopened } from './store-errors.ts';
import { syncFolder } from './sync-folder.ts';

const DATA = 'data.mdb';

/**
 * Where LMDB 0.9.90 as shipped with lmdb 3.5.6 keeps things in its two meta pages, behind 24 bytes
 * of page header (struct MDB_meta, mdb.c).
 */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_SIZE_AT = 48;
const FREE_ROOT_AT = 88;
const MAIN_ROOT_AT = 136;
const LAST_PAGE_AT = 144;
const COMMIT_AT = 152;
const META_BYTES = 168;
const FORMAT_VERSION = 2;
/** Unit of `blocks` in stat(2). */
const BLOCK_BYTES = 512;

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly commit: bigint;
  readonly roots: readonly bigint[];
}

/**
 * Looks at a data file before LMDB maps it: on a foreign file it would end the
 * process, and so would a page in use that is missing. A file that ends early or has holes is
 * suspicious, though LMDB allows both for free pages: there every page in use is looked at. Errors:
 * `store_corrupt`; `store_unavailable` where it cannot be opened.
 */
export function checkDataFile(folder: string): void {
  const file = join(folder, DATA);
  if (!existsSync(file)) return;
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r+');
  } catch (cause) {
    throw storeUnopened(folder, cause);
  }
  try {
    checkPages(folder, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Puts a damaged data file aside, where it may be looked at, if the log has all that it had. Gives
 * where it is; null where there is nothing wrong with it. Errors: those of `checkDataFile`; those
 * of the file system.
 */
export function setDamagedAside(folder: string, isAllInLog: () => boolean): string | null {
  try {
    checkDataFile(folder);
    return null;
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'store_corrupt' || !isAllInLog())
      throw cause;
    const aside = join(folder, `${DATA}.damaged`);
    renameSync(join(folder, DATA), aside);
    syncFolder(folder);
    return aside;
  }
}

function checkPages(folder: string, descriptor: number): void {
  const { size, blocks } = fstatSync(descriptor);
  if (size === 0) return;
  const first = readMeta(folder, descriptor, 0);
  const second = readMeta(folder, descriptor, first.pageSize);
  const newest = first.commit > second.commit ? first : second;
  const wanted = (newest.lastPage + 1) * newest.pageSize;
  const isSuspicious = size < wanted || blocks * BLOCK_BYTES < size;
  if (isSuspicious && !arePagesWhole(descriptor, newest))
    throw storeCorrupt(folder, 'pages of its data file are missing');
  // Read behind the end of a mapped file and the process ends.
  if (size < wanted) ftruncateSync(descriptor, wanted);
}

function readMeta(folder: string, descriptor: number, at: number): Meta {
  const meta = Buffer.alloc(META_BYTES);
  const isWhole = readSync(descriptor, meta, 0, META_BYTES, at) === META_BYTES;
  if (!isWhole || meta.readUInt32LE(MAGIC_AT) !== MAGIC)
    throw storeCorrupt(folder, 'its data file is not a store');
  const pageSize = meta.readUInt32LE(PAGE_SIZE_AT);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
  const lastPage = Number(meta.readBigUInt64LE(LAST_PAGE_AT));
  if (
    (meta.readUInt32LE(VERSION_AT) & 0xffff) !== FORMAT_VERSION ||
    !isPageSize ||
    !Number.isSafeInteger(lastPage * pageSize)
  ) {
    throw storeCorrupt(folder, 'its data file has another format');
  }
  return {
    pageSize,
    lastPage,
    commit: meta.readBigUInt64LE(COMMIT_AT),
    roots: [FREE_ROOT_AT, MAIN_ROOT_AT].map((place) => meta.readBigUInt64LE(place)),
  };
}
