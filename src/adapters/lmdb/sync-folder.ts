import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Puts the names in a folder on disk: a new file's name is there only when its folder is. Errors:
 * those of the file system.
 */
export function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
