import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../domain/errors.ts';
import { foldStateLog, type StateLogFiles } from './state-log.ts';

/** Where one node keeps its state. */
export interface StateFiles extends StateLogFiles {
  /** Written by the node itself when it ends in order; taken over by the next start. */
  readonly parting: string;
  /** Process id of the node that uses the files. */
  readonly owner: string;
}

/** The files of the state named `current`. */
export function stateFiles(current: string): StateFiles {
  return { current, log: `${current}.log`, parting: `${current}.parting`, owner: `${current}.pid` };
}

/**
 * Makes the newest whole state the current one, once the node of the run before has ended: after
 * the death of its parent it may still be writing. A parting state that was cut short is dropped,
 * the last checkpoint stands, with what the log has of later ones. Errors: `store_locked` when that
 * node does not end.
 */
export async function settleState(files: StateFiles): Promise<void> {
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
  if (existsSync(files.parting)) {
    const checkpoints = [files.current, files.log]
      .filter((file) => existsSync(file))
      .map((file) => statSync(file).mtimeMs);
    const isNewer = statSync(files.parting).mtimeMs >= Math.max(0, ...checkpoints);
    // The log is of another state then, and says so.
    if (isNewer && isWhole(files.parting)) renameSync(files.parting, files.current);
    else rmSync(files.parting);
  }
  foldStateLog(files);
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
  const commandLine = `/proc/${readFileSync(files.owner, 'utf8')}/cmdline`;
  try {
    return readFileSync(commandLine, 'utf8').includes(files.parting);
  } catch {
    // No such process, or it ended while it was looked at.
    return false;
  }
}

function isWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
