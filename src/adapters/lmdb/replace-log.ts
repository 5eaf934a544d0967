import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANCHOR } from './chain-anchor.ts';
import { logFolder } from './segment-log.ts';
import { rewriteTail, tailOf } from './segments.ts';
import { syncFolder } from './sync-folder.ts';

const FORMER = 'journal.former';

/**
 * Puts the log of one store's folder in the place of another's that begins alike. A crash leaves
 * the one, the other, or none, which is a folder that begins anew. Not while anything is written.
 */
export function replaceLog(path: string, restored: string): void {
  const [former, log] = [join(path, FORMER), logFolder(path)];
  rmSync(former, { recursive: true, force: true });
  if (existsSync(log)) renameSync(log, former);
  syncFolder(path);
  renameSync(logFolder(restored), log);
  renameSync(join(restored, ANCHOR), join(path, ANCHOR));
  syncFolder(path);
  rmSync(former, { recursive: true, force: true });
}

/**
 * Takes the newest frame off a log, and keeps it beside in a file of its name. False where that was
 * made small already: a frame that is new was not. Not while anything is written.
 */
export function takeNewestOff(path: string): boolean {
  const folder = logFolder(path);
  const tail = tailOf(folder);
  const last = tail.at(-1);
  if (last === undefined || last.segment.number === null) return false;
  const name = `frame.${last.seq}.${last.hash.slice(0, 8)}`;
  writeFileSync(join(path, name), last.bytes, { mode: 0o600, flush: true });
  syncFolder(path);
  rewriteTail(folder, tail.slice(0, -1));
  return true;
}
