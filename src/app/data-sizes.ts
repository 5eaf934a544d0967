import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What files in the data folder belong to. */
export type DataPart = 'log' | 'small_files' | 'lmdb' | 'text_log' | 'other';

/**
 * Returns the bytes of each part of a data folder: the open file of the store's log, its packed
 * files, LMDB, the text log, and what else lies there. A file that vanishes meanwhile is left out.
 */
export async function dataSizes(folder: string): Promise<Readonly<Record<DataPart, number>>> {
  const sizes: Record<DataPart, number> = {
    log: 0,
    small_files: 0,
    lmdb: 0,
    text_log: 0,
    other: 0,
  };
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const found = await stat(path).catch(() => null);
    sizes[partOf(file.name)] += found?.size ?? 0;
  }
  return sizes;
}

function partOf(name: string): DataPart {
  if (/^segment\.\d+\.log$/.test(name)) return 'log';
  if (/^segment\.\d+-\d+\.gz$/.test(name)) return 'small_files';
  if (name.endsWith('.mdb')) return 'lmdb';
  return name === 'predictd.log' ? 'text_log' : 'other';
}
