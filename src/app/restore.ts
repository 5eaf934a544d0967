import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyOnDisk } from '../adapters/files/copy-file.ts';
import { makeFolder } from '../adapters/files/make-folder.ts';
import { masterKeyIdOf } from '../adapters/keys/local-encryptor.ts';
import { LOCK_FILE, lockFolder } from '../adapters/lmdb/folder-lock.ts';
import { checkLog, type LogEnd } from '../adapters/lmdb/log-check.ts';
import { openLmdbStore } from '../adapters/lmdb/lmdb-store.ts';
import { logFolder } from '../adapters/lmdb/segment-log.ts';
import { storeCorrupt } from '../adapters/lmdb/store-errors.ts';
import { syncFolder } from '../adapters/lmdb/sync-folder.ts';
import { AppError } from '../domain/errors.ts';
import type { Store } from '../ports/store.ts';
import { endRights, type RestoredBackup } from '../services/adoption/end-rights.ts';
import { RESTORES } from '../services/books/tables.ts';
import { writeStop } from '../services/orders/stop-check.ts';
import { BACKUP_NOTE, notCopied, readBackupNote, type BackupNote } from './backup-file.ts';
import { MASTER_KEY_FILE } from './storage.ts';

/** What is put back where. */
export interface RestoreOrder {
  readonly backup: string;
  /** A data folder that is empty but for a master key, or not there yet. */
  readonly data: string;
  /** The key a start there would take; null where none is known. */
  readonly masterKey: Uint8Array | null;
}

/** What was put back. */
export interface Restored {
  readonly end: LogEnd;
  /** When the newest fact in it happened, market time, epoch ms; 0 without one. */
  readonly upToMs: number;
}

/**
 * Where a store is put together; a restore that was cut off leaves it, and the next begins anew.
 */
const UNFINISHED = 'store.restoring';

/** What a folder that is free may have in it. */
const OURS: readonly string[] = [MASTER_KEY_FILE, UNFINISHED, LOCK_FILE];

/**
 * Puts a backup in place as the store of a data folder, with buying stopped for everybody until an
 * operator lifts that, and for each user until they do; sessions and API keys are ended. The store
 * appears at once and with all that, or not at all. Errors: `not_found` for no finished backup,
 * `conflict` for a folder with files or for a file, `store_locked` for a folder in use, also by
 * another restore, `master_key_wrong` for another key than the backup's, `store_corrupt` for a
 * backup that is damaged, `store_unavailable`.
 */
export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { backup, data, masterKey } = order;
  const note = readBackupNote(backup);
  await assertFree(data);
  if (masterKey === null || !isNoted(masterKey, note))
    throw new AppError(
      'master_key_wrong',
      `the backup needs the master key with the fingerprint ${note.masterKeyFingerprint}, and ${masterKey === null ? 'none is given' : `the one given has ${masterKeyIdOf(masterKey)}`}; give it with PREDICTD_MASTER_KEY_FILE, or put it as ${MASTER_KEY_FILE} into the data folder.`,
    );
  return putInPlace(order, note).catch((cause: unknown) => {
    throw notCopied(cause);
  });
}

/** Backups of versions before 29 November 2026 note a plain hash of the key. */
function isNoted(masterKey: Uint8Array, { masterKeyFingerprint: noted }: BackupNote): boolean {
  const plain = createHash('sha256').update(masterKey).digest('hex').slice(0, 16);
  return noted === masterKeyIdOf(masterKey) || noted === plain;
}

async function putInPlace(order: RestoreOrder, note: BackupNote): Promise<Restored> {
  const { backup, data } = order;
  const { commits = 0 } = note;
  const found = checkLog(join(backup, 'store')).frame.seq;
  if (found < commits)
    throw storeCorrupt(
      join(backup, 'store'),
      `its log ends at commit ${found}, and ${BACKUP_NOTE} beside it says that it went on to ${commits}: the last ${commits - found} are lost`,
    );
  makeFolder(data, 0o700);
  const lock = await lockFolder(data);
  try {
    // another restore may have ended since this was asked
    await assertFree(data);
    return await putTogether(order, note);
  } finally {
    await lock.release();
  }
}

/** Makes the store beside its place, and moves it there. */
async function putTogether(
  { backup, data }: RestoreOrder,
  { madeAt }: BackupNote,
): Promise<Restored> {
  const unfinished = join(data, UNFINISHED);
  rmSync(unfinished, { recursive: true, force: true });
  copyStore(join(backup, 'store'), unfinished);
  const end = checkLog(unfinished);
  const store = await openLmdbStore({ path: unfinished });
  let upToMs: number;
  try {
    upToMs = newestMs(store);
    const madeAtMs = Date.parse(madeAt);
    const name = `restored from the backup of ${new Date(madeAtMs).toISOString()}`;
    const restored = { upToMs, madeAtMs, name };
    await endRights(store, restored);
    await leaveStopped(store, restored);
  } finally {
    await store.close();
  }
  renameSync(unfinished, join(data, 'store'));
  syncFolder(data);
  return { end, upToMs };
}

/** Errors: `store_locked`, `conflict`. */
async function assertFree(data: string): Promise<void> {
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new AppError(
      'conflict',
      `${data} is no folder; give one that is empty, or not there yet`,
    );
  const names = existsSync(data) ? readdirSync(data) : [];
  if (names.includes('store')) await (await lockFolder(join(data, 'store'))).release();
  const others = names.filter((name) => !OURS.includes(name));
  if (others.length > 0)
    throw new AppError(
      'conflict',
      `${data} has files in it (${others.slice(0, 3).join(', ')}); give a folder that is empty, or has a ${MASTER_KEY_FILE} alone`,
    );
}

/** The log and its head: LMDB is made anew of it. */
function copyStore(from: string, to: string): void {
  makeFolder(logFolder(to), 0o700);
  for (const name of readdirSync(logFolder(from)))
    if (name.startsWith('segment.') && name !== 'segment.new')
      copyOnDisk(join(logFolder(from), name), join(logFolder(to), name));
  copyOnDisk(join(from, 'journal.head'), join(to, 'journal.head'));
  syncFolder(logFolder(to));
  syncFolder(to);
}

async function leaveStopped(
  store: Store,
  { upToMs, madeAtMs, name }: RestoredBackup,
): Promise<void> {
  await store.write((tx) => {
    writeStop(tx, {
      scope: { kind: 'all' },
      stopped: true,
      // Of the past, as all that is known here is.
      atMs: upToMs,
      reason: `${name}: adopt what came later, then resume`,
      policy: 'keep',
    });
    const journalName = randomBytes(4).toString('hex');
    tx.put(RESTORES, ['newest'], { upToMs, madeAtMs, adoptedAtMs: null, journalName });
  });
  await store.flushed();
}

function newestMs(store: Store): number {
  const [newest] = store.readJournal(store.newestFact() - 1, 1);
  return newest?.event.atMs ?? 0;
}
