import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it that are missing, with permission bits `mode`. Node's own
 * `recursive` never returns where a file system answers, of a parent that exists, that it is not
 * there (`/proc`). Errors: those of the file system.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  // a file in the place of a parent is left to mkdir, which names what is wrong
  if (isAbsent(dirname(path))) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // another process may have made it meanwhile
    if (!isFolder(path)) throw cause;
  }
}

function isAbsent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
