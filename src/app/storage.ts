import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';

/** Creates the data folder, readable by its owner only. Errors: `store_unavailable` with what to do. */
export function openDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError('store_unavailable', `the data folder ${path} cannot be made or opened; give a writable one with PREDICTD_DATA.`, { cause });
  }
}

/**
 * The key that seals users' keys: the one given, else the one kept in the data folder, else a fresh one written there.
 * A profile with real money refuses to start without a given one, so the file serves the sandbox only.
 */
export function masterKey(folder: string, given: string | undefined, random: (count: number) => Uint8Array): Uint8Array {
  if (given !== undefined) return Buffer.from(given, 'hex');
  const file = join(folder, 'master.key');
  if (existsSync(file)) {
    const text = readKey(file).trim();
    if (!/^[0-9a-f]{64}$/.test(text)) throw new AppError('master_key_wrong', `${file} is not 64 hex digits; restore it, or start with another data folder.`);
    return Buffer.from(text, 'hex');
  }
  const key = random(32);
  replaceFile(file, `${Buffer.from(key).toString('hex')}\n`);
  return key;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('master_key_wrong', `${file} cannot be read; restore it, or start with another data folder.`, { cause });
  }
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
    throw new AppError('store_unavailable', `${path} cannot be written; make room and let the daemon write there, or give another folder with PREDICTD_DATA.`, { cause });
  }
}
