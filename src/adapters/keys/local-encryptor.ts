import { createHmac } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { KeyEncryptor } from '../../ports/key-encryptor.ts';
import type { Random } from '../../ports/random.ts';
import { KEY_BYTES, openBytes, sealBytes } from './sealing.ts';

/**
 * Wraps data keys by AES-256-GCM under a master key held in this process, wherever it was read
 * from: a file or the environment. Errors: `config_invalid` for a key that has not 32 bytes.
 */
export function createLocalEncryptor(masterKey: Uint8Array, random: Random): KeyEncryptor {
  if (masterKey.length !== KEY_BYTES)
    throw new AppError(
      'config_invalid',
      `the master key has ${masterKey.length} bytes, ${KEY_BYTES} are needed`,
    );
  const master = Uint8Array.from(masterKey);
  const keyId = masterKeyIdOf(master);
  return {
    keyId,
    wrap: async (dataKey, context) => ({
      keyId,
      wrapped: sealBytes(master, random, { plain: dataKey, bound: context }),
    }),
    async unwrap(key, context) {
      if (key.keyId !== keyId) throw wrongMasterKey(key.keyId, [keyId]);
      return openBytes(master, key.wrapped, context);
    },
  };
}

/** Names a master key without telling it: in what is sealed under it, and to an operator. */
export function masterKeyIdOf(masterKey: Uint8Array): string {
  return createHmac('sha256', masterKey)
    .update('predictd master key id')
    .digest('hex')
    .slice(0, 16);
}

/** Says which master key sealed something and which ones were given, by their ids. */
export function wrongMasterKey(sealedUnder: string, given: readonly string[]): AppError {
  const remedy =
    'start with the key the data was sealed under: PREDICTD_MASTER_KEY, PREDICTD_MASTER_KEY_FILE, or master.key in the data folder; while the key is being changed the old one goes into PREDICTD_MASTER_KEY_OLD';
  return new AppError(
    'master_key_wrong',
    `a secret was sealed under master key ${sealedUnder.slice(0, 16)}, the one given is ${given.join(' and ')}; ${remedy}.`,
  );
}
