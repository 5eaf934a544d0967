import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';

/** The error of a file that cannot be understood: what is in it is never guessed at. */
export function damagedFile(file: string, cause?: unknown): AppError {
  return new AppError(
    'store_corrupt',
    `${file} cannot be read; remove the sandbox's folder to begin anew, or restore it.`,
    cause === undefined ? {} : { cause },
  );
}

/** Reads text of a file as JSON. Errors: `store_corrupt`. */
export function jsonIn(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damagedFile(file, cause);
  }
}

/**
 * Gives the whole lines of a file that grows; none where there is no file. A last line that was cut
 * short was never acknowledged.
 */
export function wholeLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** A file on its way into another's place, and the process that writes it. */
const ON_ITS_WAY = /\.(\d+)\.new$/;

/**
 * Removes from a folder what processes that are gone were writing when they ended; one that is
 * still dying keeps its own.
 */
export function sweepUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, processId] = ON_ITS_WAY.exec(name) ?? [];
    if (processId !== undefined && !isRunning(Number(processId)))
      rmSync(join(folder, name), { force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (cause) {
    // a process of another user runs too
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM';
  }
}
