import { AppError } from '../../domain/errors.ts';

/**
 * LMDB's codes that mean the file is not what it should be: page not found, corrupted, wrong
 * version, not a database.
 */
const CORRUPT_CODES: readonly unknown[] = [-30797, -30796, -30794, -30793];

/** The one sentence for a store that cannot be read, with what to do about it. */
export function storeCorrupt(path: string, what: string, cause?: unknown): AppError {
  return new AppError(
    'store_corrupt',
    unreadable(path, what),
    cause === undefined ? {} : { cause },
  );
}

/** The same of a data file that may be whole, and cannot be opened: it stays where it is. */
export function storeUnopened(path: string, cause: unknown): AppError {
  const what = `its data file cannot be opened: ${textOf(cause)}`;
  return new AppError('store_unavailable', unreadable(path, what), { cause });
}

function unreadable(path: string, what: string): string {
  return `the store in ${path} cannot be read (${what}); restore the folder from a backup, or move it away to start empty`;
}

/** The sentence for a data file whose records cannot be read: the log has all that it has. */
export function dataFileCorrupt(path: string, what: string, cause?: unknown): AppError {
  const sentence = `the data file in ${path} cannot be read (${what}); take data.mdb away from there, and the next start makes it anew from the log`;
  return new AppError('store_corrupt', sentence, cause === undefined ? {} : { cause });
}

/**
 * What a failed commit means to callers: nothing of it was kept. A damaged file is `store_corrupt`,
 * all else `store_unavailable`.
 */
export function commitError(path: string, cause: unknown): AppError {
  if (isCorruption(cause)) return dataFileCorrupt(path, textOf(cause), cause);
  return new AppError(
    'store_unavailable',
    `the store in ${path} could not commit (${textOf(cause)}); nothing was changed`,
    { retryable: true, cause },
  );
}

/**
 * What a commit means to callers when it is unknown whether it was kept: the process ends, and
 * the next start goes by what it finds.
 */
export function lostError(path: string, cause: Error): AppError {
  const sentence = `the store in ${path} may or may not have kept its last commit (${cause.message}); predictd ends, and its next start goes on from what is there`;
  return new AppError('store_unavailable', sentence, { cause });
}

/** True for an error of LMDB that says the file is damaged. */
function isCorruption(cause: unknown): boolean {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'code' in cause &&
    CORRUPT_CODES.includes(cause.code)
  );
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
