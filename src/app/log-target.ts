import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Profile } from '../../config/profiles/profile.ts';
import { journalStream } from '../../config/schema.ts';
import { isJournal } from '../adapters/log/line-sink.ts';
import type { LogTarget, PinoLog } from '../adapters/log/pino-log.ts';
import type { Teardown } from './teardown.ts';

/**
 * Where lines go: standard output where that is the journal of systemd, which dates and rotates
 * them; else standard error in `live` and the folder's `predictd.log` in the others.
 */
export function logTarget(profile: Pick<Profile, 'name'>, folder: string): LogTarget {
  if (isJournal('output', journalStream())) return { stream: 'output' };
  return profile.name === 'live' ? { stream: 'error' } : { file: join(folder, 'predictd.log') };
}

/**
 * Has a log that was moved away made anew at SIGHUP, so that no line is lost as with a copied file.
 * At a terminal the signal says that it was closed, and ends the process as before.
 */
export function reopenAtHangUp(
  log: Pick<PinoLog, 'reopen'>,
  teardown: Teardown,
  isAtTerminal: boolean = isatty(0),
): void {
  if (isAtTerminal) return;
  const reopen = (): void => log.reopen();
  process.on('SIGHUP', reopen);
  teardown.add(async () => void process.off('SIGHUP', reopen));
}
