import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/schema.ts';
import { readMasterKeyFile } from '../adapters/keys/master-key-file.ts';
import { syncFolder } from '../adapters/lmdb/sync-folder.ts';
import { AppError } from '../domain/errors.ts';
import { makeFolder } from '../adapters/files/make-folder.ts';

/**
 * Creates the data folder, readable by its owner only. Errors: `store_unavailable` with what to do.
 */
export function openDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError(
      'store_unavailable',
      `the data folder ${path} cannot be made or opened; give a writable one with PREDICTD_DATA.`,
      { cause },
    );
  }
}

/** Where a key that was not given is kept, in the data folder. */
export const MASTER_KEY_FILE = 'master.key';

/** The master key in use, and the one it replaces while the change is under way. */
export interface MasterKeys {
  readonly current: Uint8Array;
  readonly former: Uint8Array | null;
}

type MasterKeySettings = Pick<
  Environment,
  | 'PREDICTD_MASTER_KEY'
  | 'PREDICTD_MASTER_KEY_FILE'
  | 'PREDICTD_MASTER_KEY_OLD'
  | 'PREDICTD_MASTER_KEY_OLD_FILE'
>;

/**
 * The key that seals users' keys: the one given or in the file given, else the one kept in the data
 * folder, else a fresh one written there. A profile with real money refuses to start without a
 * given one, so the data folder's serves the sandbox only. Errors: `config_invalid` when one is
 * given twice or its file is open to others, `master_key_wrong` when a file holds none.
 */
export function masterKeys(
  folder: string,
  settings: MasterKeySettings,
  random: (count: number) => Uint8Array,
): MasterKeys {
  const former = formerMasterKey(settings);
  const held = heldMasterKey(folder, settings);
  if (held !== null) return { current: held, former };
  const key = random(32);
  replaceFile(join(folder, MASTER_KEY_FILE), `${Buffer.from(key).toString('hex')}\n`);
  // What is sealed under it survives a power failure from its commit on, so the key has to before.
  syncFolder(folder);
  return { current: key, former };
}

/**
 * The master key a start with these settings would take: the one given, else the one kept in the
 * data folder; null where it would make one. Errors: as of `masterKeys`.
 */
export function heldMasterKey(
  folder: string,
  settings: Pick<MasterKeySettings, 'PREDICTD_MASTER_KEY' | 'PREDICTD_MASTER_KEY_FILE'>,
): Uint8Array | null {
  const given = givenKey(settings, 'PREDICTD_MASTER_KEY', 'PREDICTD_MASTER_KEY_FILE');
  const file = join(folder, MASTER_KEY_FILE);
  return given ?? (existsSync(file) ? readMasterKeyFile(file) : null);
}

/** The master key that is being replaced; null without one. Errors: as of `masterKeys`. */
export function formerMasterKey(
  settings: Pick<MasterKeySettings, 'PREDICTD_MASTER_KEY_OLD' | 'PREDICTD_MASTER_KEY_OLD_FILE'>,
): Uint8Array | null {
  return givenKey(settings, 'PREDICTD_MASTER_KEY_OLD', 'PREDICTD_MASTER_KEY_OLD_FILE');
}

function givenKey<Name extends keyof MasterKeySettings>(
  settings: Partial<Pick<MasterKeySettings, Name>>,
  name: Name,
  fileName: Name,
): Uint8Array | null {
  const { [name]: text, [fileName]: path } = settings;
  if (text !== undefined && path !== undefined)
    throw new AppError('config_invalid', `${name} and ${fileName} are both set; set one of them.`);
  if (text !== undefined) return Buffer.from(text, 'hex');
  return path === undefined ? null : readMasterKeyFile(path);
}

/**
 * Writes a small private file so that after a crash either the old or the new text is there, whole.
 * Errors: `store_unavailable` when it cannot be written.
 */
export function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  try {
    const handle = openSync(fresh, 'w', 0o600);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(fresh, path);
  } catch (cause) {
    throw new AppError(
      'store_unavailable',
      `${path} cannot be written; make room and let the daemon write there, or give another folder with PREDICTD_DATA.`,
      { cause },
    );
  }
}
