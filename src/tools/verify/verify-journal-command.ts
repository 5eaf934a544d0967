import { join, resolve } from 'node:path';
import { createWallClock } from '../../adapters/clock/wall-clock.ts';
import { AppError } from '../../domain/errors.ts';
import { usageOf } from '../../app/commands.ts';
import type { ChainLink } from '../../ports/store.ts';
import type { NotedRoot } from './verify-tree.ts';
import { runningAddresses } from '../../app/addresses.ts';
import { reportUpkeep } from '../../app/upkeep.ts';
import { verifyJournal } from './verify-journal.ts';

const EXIT = { whole: 0, found: 1, refused: 2 } as const;

/**
 * Runs `predictd verify-journal`: prints what was found, and tells a daemon that runs in the folder
 * that all was whole. Gives the exit code: 0 when all is as it
 * was written; 1 when something is not, each with the number of its entry; 2 with one sentence when
 * the command is wrong or there is nothing to read.
 */
export async function runVerifyCommand(
  words: readonly string[],
  dataFolder: string,
  print: (line: string) => void,
): Promise<number> {
  try {
    const { folder, heads, roots } = readCommand(words, dataFolder);
    const { entries, receipts, head, anchoredSeq, findings, found } = await verifyJournal(
      join(resolve(folder), 'store'),
      heads,
      roots,
    );
    print(`journal   ${entries} entries, ${receipts} receipts; head ${head.seq}:${head.hash}`);
    print(
      anchoredSeq === null
        ? 'anchor    none: no head was noted beside the journal'
        : `anchor    noted at entry ${anchoredSeq}: what came later could be cut off unseen, unless a head of it is given with --head`,
    );
    for (const { seq, what } of findings) print(`entry     ${seq} ${what}`);
    if (found > findings.length) print(`          and ${found - findings.length} more`);
    if (found === 0 && (await runningAddresses(resolve(folder))) !== null)
      reportUpkeep(resolve(folder), () => ({ verifiedAtMs: createWallClock().nowMs() }));
    print(
      found === 0
        ? 'whole     every entry and every receipt is what was written'
        : `found     ${found} entries are not as they were written`,
    );
    return found === 0 ? EXIT.whole : EXIT.found;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(error.message);
    return EXIT.refused;
  }
}

function readCommand(
  words: readonly string[],
  dataFolder: string,
): {
  readonly folder: string;
  readonly heads: readonly ChainLink[];
  readonly roots: readonly NotedRoot[];
} {
  const heads: ChainLink[] = [];
  const roots: NotedRoot[] = [];
  let folder: string | null = null;
  for (let index = 0; index < words.length; index += 2) {
    const [name, value] = [words[index], words[index + 1]];
    if (name === '--data' && value !== undefined && folder === null) folder = value;
    else if (name === '--head' && value !== undefined) {
      const [seq, hash] = hashIn(name, value);
      heads.push({ seq, hash });
    } else if (name === '--root' && value !== undefined) {
      const [entries, root] = hashIn(name, value);
      roots.push({ entries, root });
    } else throw refused(`${name ?? ''} is not understood`);
  }
  return { folder: folder ?? dataFolder, heads, roots };
}

function hashIn(name: string, text: string): readonly [number, string] {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw refused(`${name} ${text} is not a number, a colon and 64 hex digits`);
  return [Number(seq), hash];
}

function refused(what: string): AppError {
  return new AppError('config_invalid', `${what}; use: ${usageOf('verify-journal')}`);
}
