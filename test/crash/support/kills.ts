import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Settings } from './daemon.ts';

/**
 * Where a daemon is killed: before and after each durable step whose name matches, once each; null
 * kills at none.
 */
export interface Kills {
  readonly before: RegExp | null;
  readonly after: RegExp | null;
}

/** What a day remembers of its steps over all lives. */
export interface Moments {
  /** Durable steps come to, by name, in order of the first time. */
  readonly steps: readonly string[];
  /**
   * Where each life but the last ended: `before` or `after` and the step; several where steps
   * shared a commit.
   */
  readonly killedAt: readonly string[];
}

/** The module that counts a daemon's steps and kills it; loaded before the daemon. */
export const KILLER = pathToFileURL(
  fileURLToPath(new URL('kill-at-steps.mjs', import.meta.url)),
).href;

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/** Tells the killer what to kill at, and which file outlives the lives. */
export function killing(kills: Kills | null, done: string): Settings {
  return {
    CRASH_DIST: DIST,
    CRASH_BEFORE: kills?.before?.source ?? '',
    CRASH_AFTER: kills?.after?.source ?? '',
    CRASH_DONE: done,
  };
}

/** Reads what the killer has noted. */
export function momentsIn(done: string): Moments {
  const lines = readFileSync(done, 'utf8').trim().split('\n');
  const killedAt = lines.flatMap((line) =>
    line.startsWith('killed ') ? [line.slice('killed '.length)] : [],
  );
  const met = lines
    .flatMap((line) => line.replace(/^killed /, '').split(' & '))
    .flatMap((line) => (line.startsWith('before ') ? [line.slice('before '.length)] : []));
  return { steps: [...new Set(met)], killedAt };
}
