import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

const MARK = 'shared.mark';
/**
 * What a folder has of a log that several machines keep. `followed`: frames that were read from
 * there, of which the newest may be taken back by a failover. `owned`: frames that this machine has
 * added, each acknowledged before it was written here.
 */
const MARKS = ['followed', 'owned'] as const;
export type SharedMark = (typeof MARKS)[number];

/** The mark of a store's folder; null where it has frames of a log of its own, or none. */
export function readMark(path: string): SharedMark | null {
  const file = join(path, MARK);
  const text = existsSync(file) ? readFileSync(file, 'latin1').trim() : null;
  return MARKS.find((mark) => mark === text) ?? null;
}

/** Marks a folder, on disk when it returns; null takes the mark off. */
export function writeMark(path: string, mark: SharedMark | null): void {
  if (readMark(path) === mark) return;
  const file = join(path, MARK);
  if (mark === null) rmSync(file, { force: true });
  else {
    const handle = openSync(`${file}.new`, 'w', 0o600);
    try {
      writeSync(handle, `${mark}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(`${file}.new`, file);
  }
  syncFolder(path);
}
