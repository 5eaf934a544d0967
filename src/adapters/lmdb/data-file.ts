import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { storeCorrupt } from './store-errors.ts';

/** Where LMDB 0.9.90 as shipped with lmdb 3.5.6 keeps things in its two meta pages (struct MDB_meta, mdb.c). */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const META_BYTES = 168;
const FORMAT_VERSION = 2;

/** What the check of a data file found. */
export interface DataFile {
  readonly isNew: boolean;
  /** True when the file ended before its last page: LMDB allows that for free pages, so all records must be read to know. */
  readonly isShort: boolean;
}

/**
 * Looks at a data file before LMDB maps it: on a file that is none of its own it would crash the process, and so would a
 * read behind the end. A short file is filled up with empty pages, which LMDB refuses to take for records.
 * Errors: `store_corrupt`.
 */
export function checkDataFile(folder: string): DataFile {
  const file = join(folder, 'data.mdb');
  if (!existsSync(file)) return { isNew: true, isShort: false };
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r+');
  } catch (cause) {
    throw storeCorrupt(folder, 'its data file cannot be opened', cause);
  }
  try {
    return checkPages(folder, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function checkPages(folder: string, descriptor: number): DataFile {
  const { size } = fstatSync(descriptor);
  if (size === 0) return { isNew: true, isShort: false };
  const first = readMeta(folder, descriptor, 0);
  const second = readMeta(folder, descriptor, first.pageSize);
  const wanted = (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
  const isShort = size < wanted;
  if (isShort) ftruncateSync(descriptor, wanted);
  return { isNew: false, isShort };
}

function readMeta(folder: string, descriptor: number, at: number): { readonly pageSize: number; readonly lastPage: number } {
  const meta = Buffer.alloc(META_BYTES);
  const isWhole = readSync(descriptor, meta, 0, META_BYTES, at) === META_BYTES;
  if (!isWhole || meta.readUInt32LE(MAGIC_AT) !== MAGIC) throw storeCorrupt(folder, 'its data file is not a store');
  const pageSize = meta.readUInt32LE(PAGE_SIZE_AT);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && Number.isInteger(Math.log2(pageSize));
  const lastPage = Number(meta.readBigUInt64LE(LAST_PAGE_AT));
  if ((meta.readUInt32LE(VERSION_AT) & 0xffff) !== FORMAT_VERSION || !isPageSize || !Number.isSafeInteger(lastPage * pageSize)) {
    throw storeCorrupt(folder, 'its data file has another format');
  }
  return { pageSize, lastPage };
}
