import { resolve } from 'node:path';
import type { Environment } from '../../config/schema.ts';
import { masterKeyIdOf } from '../adapters/keys/local-encryptor.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { assertStored, makeBackup } from './backup.ts';
import { usageOf } from './commands.ts';
import { heldMasterKey } from './storage.ts';

const EXIT = { made: 0, failed: 1, refused: 2 } as const;
/** What a caller got wrong; all else is a copy that could not be made. */
const REFUSALS: readonly string[] = ['conflict', 'not_found', 'config_invalid', 'master_key_wrong'];

/**
 * Runs `predictd backup`. Gives the exit code: 0 when the copy is whole; 1 with the reason when it
 * could not be made, or could not follow; 2 with one sentence when the command is wrong, the target
 * has files, or there is nothing to copy.
 */
export async function runBackupCommand(
  words: readonly string[],
  {
    environment,
    print,
    ending,
    clock,
  }: {
    readonly environment: Pick<
      Environment,
      'PREDICTD_DATA' | 'PREDICTD_MASTER_KEY' | 'PREDICTD_MASTER_KEY_FILE'
    >;
    readonly print: (line: string) => void;
    /** Aborted when a copy that follows is to end. */
    readonly ending: AbortSignal;
    /** Wall time. */
    readonly clock: Clock;
  },
): Promise<number> {
  try {
    const { target, data, follows } = readCommand(words, environment.PREDICTD_DATA);
    assertStored(data);
    const masterKey = heldMasterKey(data, environment);
    if (masterKey === null)
      throw new AppError(
        'master_key_wrong',
        'the master key is not known here; name it as the daemon has it, with PREDICTD_MASTER_KEY_FILE: its fingerprint goes with the copy.',
      );
    const backup = await makeBackup({ data, target, masterKey, clock });
    const { link, frame } = backup.end();
    print(
      `copied    ${frame.seq} commits, ${link.seq} journal entries; head ${link.seq}:${link.hash}`,
    );
    print('verified  the copy was read again, and is what the log is');
    print(
      `key       ${masterKeyIdOf(masterKey)} is the fingerprint of the master key, which is NOT in the copy: keep it elsewhere, the copy is of no use without it`,
    );
    if (follows) {
      print('following every second, until SIGTERM');
      await backup.follow(ending, (cause) => print(`again     ${sentenceOf(cause)}`));
      const last = backup.end().link;
      print(`ended     at journal entry ${last.seq}; head ${last.seq}:${last.hash}`);
    }
    backup.close();
    return EXIT.made;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return REFUSALS.includes(error.code) ? EXIT.refused : EXIT.failed;
  }
}

interface Command {
  readonly target: string;
  readonly data: string;
  readonly follows: boolean;
}

function readCommand(words: readonly string[], dataFolder: string): Command {
  let target: string | null = null;
  let data: string | null = null;
  let follows = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1];
    if (word === '--follow' && !follows) follows = true;
    else if (word === '--data' && next !== undefined && data === null) {
      data = next;
      index += 1;
    } else if (!word.startsWith('-') && target === null) target = word;
    else throw refused(`${word} is not understood`);
  }
  if (target === null) throw refused('a folder to copy to is missing');
  return { target: resolve(target), data: resolve(data ?? dataFolder), follows };
}

function refused(what: string): AppError {
  return new AppError('config_invalid', `${what}; use: ${usageOf('backup')}`);
}

function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
