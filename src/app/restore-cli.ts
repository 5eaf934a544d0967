import { resolve } from 'node:path';
import type { Environment } from '../../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import { usageOf } from './commands.ts';
import { restoreBackup } from './restore.ts';
import { heldMasterKey } from './storage.ts';

const EXIT = { restored: 0, refused: 2 } as const;

/**
 * Runs `predictd restore`. Gives the exit code: 0 when the backup is in place; 2 with one sentence
 * when it is not, and nothing was put there.
 */
export async function runRestoreCommand(
  words: readonly string[],
  environment: Pick<Environment, 'PREDICTD_MASTER_KEY' | 'PREDICTD_MASTER_KEY_FILE'>,
  print: (line: string) => void,
): Promise<number> {
  try {
    const { backup, data } = readCommand(words);
    const key = heldMasterKey(data, environment);
    const { end, upToMs } = await restoreBackup({ backup, data, masterKey: key });
    const { seq, hash } = end.link;
    print(`restored  ${seq} journal entries, up to ${timeOf(upToMs)}; head ${seq}:${hash}`);
    print('verified  every commit is what was written, and the master key is the one it needs');
    print(
      'stopped   buying is stopped for everybody until an operator lifts it: start predictd, run adopt, then POST /internal/resume',
    );
    print(
      'ended     all sessions and API keys of before: users sign in again, make keys anew, and let their own trading go on by POST /api/user/resume',
    );
    return EXIT.restored;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return EXIT.refused;
  }
}

function readCommand(words: readonly string[]): { readonly backup: string; readonly data: string } {
  const [backup, data, ...more] = words;
  const isOption = words.some((word) => word.startsWith('-'));
  if (backup === undefined || data === undefined || more.length > 0 || isOption)
    throw new AppError(
      'config_invalid',
      `a backup and a data folder are wanted; use: ${usageOf('restore')}`,
    );
  return { backup: resolve(backup), data: resolve(data) };
}

function timeOf(ms: number): string {
  return ms === 0 ? 'no fact' : new Date(ms).toISOString();
}
