import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs';

/**
 * Copies a file and puts what is in it on disk; its name is there with its folder. Errors: those of
 * the file system.
 */
export function copyOnDisk(from: string, to: string): void {
  copyFileSync(from, to);
  const handle = openSync(to, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
