import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { replaceFile } from './storage.ts';

/** The name of the file that is written last into a copy. */
export const BACKUP_NOTE = 'backup.json';

const schema = z.object({
  /** When the copy was whole for the first time. */
  madeAt: z.iso.datetime(),
  /** Of the key that opens the users' keys in it, which is not in it. */
  masterKeyFingerprint: z.string().regex(/^[0-9a-f]{16}$/),
  /**
   * How many commits it has at least: the end of the log may be commits without a journal entry,
   * which `journal.head` does not know of. Absent in copies of versions that did not note it.
   */
  commits: z.int().nonnegative().optional(),
});

/** What is said of a copy beside it: `backup.json`, written last. */
export type BackupNote = Readonly<z.output<typeof schema>>;

/** Notes that a copy is whole. Errors: `store_unavailable`. */
export function writeBackupNote(folder: string, note: BackupNote): void {
  replaceFile(fileIn(folder), `${JSON.stringify(note, null, 2)}\n`);
}

/**
 * Reads what is said of a copy. Errors: `not_found` without it, as for a copy that was not
 * finished.
 */
export function readBackupNote(folder: string): BackupNote {
  const file = fileIn(folder);
  const note = isFile(file) ? schema.safeParse(jsonOf(readFileSync(file, 'utf8'))) : null;
  if (note?.success === true) return note.data;
  throw new AppError(
    'not_found',
    `${folder} is no backup that was finished: it has no ${BACKUP_NOTE} that can be read`,
  );
}

/** The error of a copy that could not be made: those of the file system become a sentence. */
export function notCopied(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError('store_unavailable', `the copy could not be made: ${why}`, { cause });
}

function fileIn(folder: string): string {
  return join(folder, BACKUP_NOTE);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
