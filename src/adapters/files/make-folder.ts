import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it that are missing, with permission bits `mode`. Node's own
 * `recursive` never returns where a file system answers, of a parent that exists, that it is not
 * there (`/proc`). Errors: those of the file system.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // another process may have made it meanwhile
    if (!isFolder(path)) throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
