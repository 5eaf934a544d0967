import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { BACKUP } from '../../config/limits/backup.ts';
import { makeFolder } from '../adapters/files/make-folder.ts';
import { masterKeyIdOf } from '../adapters/keys/local-encryptor.ts';
import { LogCopy } from '../adapters/lmdb/log-copy.ts';
import type { LogEnd } from '../adapters/lmdb/log-check.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import { BACKUP_NOTE, notCopied, writeBackupNote } from './backup-file.ts';
import { assertSealedUnder } from './backup-key.ts';
import { reportUpkeep, type Upkeep } from './upkeep.ts';

/** What is copied where. */
export interface BackupOrder {
  /** A data folder, whether a daemon runs in it or not. */
  readonly data: string;
  /** A folder that is empty, or not there yet. */
  readonly target: string;
  /** The key a start of the daemon there would take; its fingerprint is noted. */
  readonly masterKey: Uint8Array;
  /** Wall time. */
  readonly clock: Clock;
}

/** A copy that is whole, and may go on. */
export interface Backup {
  /** Where it ends. */
  end(): LogEnd;
  /**
   * Copies what the log grows by every BACKUP.followIntervalMs until `ending` is aborted, and once
   * more then. A failure is reported and tried again. Errors: that of the last of
   * BACKUP.failuresMaximum in a row.
   */
  follow(ending: AbortSignal, failed: (cause: unknown) => void): Promise<void>;
  close(): void;
}

/**
 * Copies the store of a data folder, reads the copy again and reports to the daemon, also that it
 * failed. The master key is not in it. Errors: `conflict` for a target with files,
 * `master_key_wrong` where the store is sealed under another, `store_corrupt`,
 * `store_unavailable`.
 */
export async function makeBackup(order: BackupOrder): Promise<Backup> {
  const { data, clock } = order;
  const report = (change: (known: Upkeep) => Partial<Upkeep>): void => {
    // The copy is what matters: a full disk under the data folder is why it is made.
    try {
      reportUpkeep(data, change);
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
    }
  };
  const hasFailed = (): void =>
    report(({ backupFailures }) => ({ backupFailures: backupFailures + 1 }));
  let made: Made;
  try {
    made = await copyWhole(order);
  } catch (cause) {
    const isRefused = cause instanceof AppError && cause.code === 'conflict';
    if (!isRefused) hasFailed();
    throw notCopied(cause);
  }
  const { copy, note } = made;
  report(() => ({ backupAtMs: clock.nowMs() }));
  return {
    end: () => copy.end(),
    close: () => copy.close(),
    async follow(ending, failed) {
      let failures = 0;
      let reportedMs = clock.nowMs();
      while (failures < BACKUP.failuresMaximum) {
        const isLast = ending.aborted || !(await slept(clock, ending));
        try {
          if ((await copy.takeOver()) > 0) note();
          failures = 0;
          if (isLast || clock.nowMs() - reportedMs >= BACKUP.reportReadMs) {
            reportedMs = clock.nowMs();
            report(() => ({ backupAtMs: reportedMs }));
          }
          if (isLast) return;
        } catch (cause) {
          if (failures === 0) hasFailed();
          failures += 1;
          failed(cause);
          if (isLast || failures === BACKUP.failuresMaximum) throw notCopied(cause);
        }
      }
    },
  };
}

interface Made {
  readonly copy: LogCopy;
  /** Writes beside the copy how far it goes by now. Errors: `store_unavailable`. */
  readonly note: () => void;
}

async function copyWhole({ data, target, clock, masterKey }: BackupOrder): Promise<Made> {
  if (`${target}${sep}`.startsWith(`${data}${sep}`))
    throw new AppError(
      'conflict',
      `${target} is inside of the data folder, and would be lost with it; give a folder on another disk`,
    );
  claim(target);
  const copy = LogCopy.begin(join(data, 'store'), join(target, 'store'));
  try {
    await copy.takeOver();
    copy.check();
    assertSealedUnder(join(target, 'store'), masterKey);
    const made = {
      madeAt: new Date(clock.nowMs()).toISOString(),
      masterKeyFingerprint: masterKeyIdOf(masterKey),
    };
    const note = (): void => writeBackupNote(target, { ...made, commits: copy.end().frame.seq });
    note();
    return { copy, note };
  } catch (cause) {
    copy.close();
    throw cause;
  }
}

/** Errors: `not_found` for a folder in which nothing was ever stored. */
export function assertStored(data: string): void {
  if (!existsSync(join(data, 'store', 'journal')))
    throw new AppError('not_found', `nothing was ever stored in ${data}`);
}

/**
 * Takes an empty folder for this copy alone: whoever makes `store` in it has it. Errors:
 * `conflict`, those of the file system.
 */
function claim(target: string): void {
  makeFolder(target, 0o700);
  const store = join(target, 'store');
  try {
    mkdirSync(store, { mode: 0o700 });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
    throw new AppError(
      'conflict',
      existsSync(join(target, BACKUP_NOTE))
        ? `${target} has files in it; give a folder that is empty`
        : `${target} has a backup in it that was not finished, or is being made; give another folder, or remove that one if no backup runs`,
      { cause },
    );
  }
  if (readdirSync(target).length === 1) return;
  rmdirSync(store);
  throw new AppError('conflict', `${target} has files in it; give a folder that is empty`);
}

/** Waits for the next round; false where the end came first. */
function slept(clock: Clock, ending: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const called = (): void => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(BACKUP.followIntervalMs, () => {
      ending.removeEventListener('abort', called);
      resolve(true);
    });
    ending.addEventListener('abort', called, { once: true });
  });
}
