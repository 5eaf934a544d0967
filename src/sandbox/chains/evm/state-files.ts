import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import { damagedFile } from '../../storage/append-file.ts';
import { commandLineOf } from './command-line.ts';
import { parseState, prunedState, type NodeState } from './node-state.ts';
import { foldedState, replaceFile, type StateLogFiles } from './state-log.ts';

/** Where one node keeps its state. */
export interface StateFiles extends StateLogFiles {
  /** Written by the node itself when it ends in order; taken over by the next start. */
  readonly parting: string;
  /** The checkpoint of the start before. */
  readonly earlier: string;
  /** Process id of the node that uses the files. */
  readonly owner: string;
}

/** The files of the state named `current`. */
export function stateFiles(current: string): StateFiles {
  return {
    current,
    log: `${current}.log`,
    parting: `${current}.parting`,
    earlier: `${current}.earlier`,
    owner: `${current}.pid`,
  };
}

/**
 * Makes the newest whole state the current one, once the node of the run before has ended: after
 * the death of its parent it may still be writing. That is the state the node wrote when it ended,
 * or the last checkpoint with what the log has of later ones, or, where neither can be read, the
 * state of the start before; `report` is given a sentence for a file that cannot be. Old blocks are
 * left out. Errors: `store_locked` when that node does not end, `store_corrupt` when nothing can be
 * read.
 */
export async function settleState(
  files: StateFiles,
  report: (sentence: string) => void,
): Promise<void> {
  for (
    const deadline = Date.now() + LOCAL_CHAIN.predecessorTimeoutMs;
    isOwned(files);
    await delay(LOCAL_CHAIN.pollMs)
  ) {
    if (Date.now() > deadline)
      throw new AppError(
        'store_locked',
        `another node still uses ${files.current}; end it, or give another folder.`,
      );
  }
  rmSync(files.owner, { force: true });
  const state = newestState(files, report);
  if (state === null) return;
  // What can be read stays beside until the next start.
  if (readable(files.current) !== null) renameSync(files.current, files.earlier);
  replaceFile(files.current, JSON.stringify(prunedState(state)));
  for (const file of [files.log, files.parting]) rmSync(file, { force: true });
}

/** Returns null where no state was ever written. Errors: `store_corrupt`. */
function newestState(files: StateFiles, report: (sentence: string) => void): NodeState | null {
  const candidates = [
    { file: files.parting, changedAtMs: changedAtMs([files.parting]), read: readable },
    {
      file: files.current,
      changedAtMs: changedAtMs([files.current, files.log]),
      read: () => (readable(files.current) === null ? null : foldedState(files)),
    },
  ]
    .filter(({ file }) => existsSync(file))
    // Of two of one moment the parting state is the later one.
    .sort((one, other) => other.changedAtMs - one.changedAtMs);
  const all = existsSync(files.earlier)
    ? [...candidates, { file: files.earlier, read: readable }]
    : candidates;
  if (candidates.length === 0) return null;
  for (const [index, { file, read }] of all.entries()) {
    const state = read(file);
    if (state === null) continue;
    if (index > 0)
      report(`${all[index - 1]?.file ?? ''} cannot be read; the chain goes on from ${file}.`);
    return state;
  }
  throw damagedFile(files.current);
}

function changedAtMs(files: readonly string[]): number {
  return Math.max(
    0,
    ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

/** The state in a file; null for a file that is missing, or was cut short. */
function readable(file: string): NodeState | null {
  try {
    return parseState(file, readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Notes which process uses the files. */
export function claimState(files: StateFiles, processId: number): void {
  writeFileSync(files.owner, String(processId));
}

/**
 * A process id alone may have been given to another process by now: the node's own command line
 * names its files.
 */
function isOwned(files: StateFiles): boolean {
  if (!existsSync(files.owner)) return false;
  return commandLineOf(Number(readFileSync(files.owner, 'utf8'))).includes(files.parting);
}
