import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';

/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Reads a master key of 64 hex digits from a file that only its owner may touch (mode 0400 or
 * 0600). Errors: `config_invalid` when others may, `master_key_wrong` when it cannot be read or
 * holds something else.
 */
export function readMasterKeyFile(path: string): Uint8Array {
  const { mode, text } = readPrivate(path);
  if ((mode & OTHERS) !== 0) {
    throw new AppError(
      'config_invalid',
      `${path} holds the master key and is open to others (mode ${(mode & 0o777).toString(8)}); run "chmod 600 ${path}" and start again.`,
    );
  }
  const key = text.trim();
  if (!/^[0-9a-fA-F]{64}$/.test(key))
    throw new AppError(
      'master_key_wrong',
      `${path} is not 64 hex digits; restore it, or start with another data folder.`,
    );
  return Buffer.from(key, 'hex');
}

function readPrivate(path: string): { readonly mode: number; readonly text: string } {
  try {
    return { mode: statSync(path).mode, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    throw new AppError(
      'master_key_wrong',
      `${path} cannot be read; restore it, or start with another data folder.`,
      { cause },
    );
  }
}
