import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { AppError, assert } from '../../domain/errors.ts';
import type { Random } from '../../ports/random.ts';

/**
 * Envelope encryption: each secret has a data key of its own, sealed under the master key, so that a new master key only
 * re-seals data keys. Text form: `v1.<label>.<master key id>.<sealed data key>.<sealed secret>`, the last two base64url of
 * nonce ‖ ciphertext ‖ tag (AES-256-GCM), both bound to everything before them.
 */
export interface Envelope {
  /** Seals bytes under a label of [0-9A-Za-z_] that `open` gives back. */
  seal(label: string, plain: Uint8Array): string;
  /** Errors: `master_key_wrong` when another master key sealed it, `store_corrupt` when it was damaged. */
  open(sealed: string): { readonly label: string; readonly plain: Uint8Array };
}

/** Bytes of a master key. */
export const MASTER_KEY_BYTES = 32;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LABEL = /^[0-9A-Za-z_]{1,64}$/;

/** Opens and seals under one master key of 32 bytes. Errors: `config_invalid` for another length. */
export function createEnvelope(masterKey: Uint8Array, random: Random): Envelope {
  if (masterKey.length !== MASTER_KEY_BYTES) {
    throw new AppError('config_invalid', `the master key has ${masterKey.length} bytes, ${MASTER_KEY_BYTES} are needed`);
  }
  const master = Uint8Array.from(masterKey);
  // Names the key without telling anything about it: tells a wrong key from a damaged record.
  const masterId = createHmac('sha256', master).update('predictd master key id').digest('hex').slice(0, 16);
  return {
    seal(label, plain) {
      assert(LABEL.test(label), `an envelope label is a word: ${label}`);
      const header = `v1.${label}.${masterId}`;
      const dataKey = random.bytes(MASTER_KEY_BYTES);
      const sealedKey = encrypt(master, random.bytes(NONCE_BYTES), { plain: dataKey, bound: header });
      const sealed = encrypt(dataKey, random.bytes(NONCE_BYTES), { plain, bound: `${header}.${sealedKey}` });
      dataKey.fill(0);
      return `${header}.${sealedKey}.${sealed}`;
    },
    open(sealed) {
      const [version, label, keyId, sealedKey, secret, ...rest] = sealed.split('.');
      if (version !== 'v1' || label === undefined || keyId === undefined || sealedKey === undefined || secret === undefined || rest.length > 0) throw damaged();
      if (keyId !== masterId) throw wrongKey(keyId.slice(0, 16), masterId);
      const header = `v1.${label}.${keyId}`;
      const dataKey = decrypt(master, sealedKey, header);
      const plain = decrypt(dataKey, secret, `${header}.${sealedKey}`);
      dataKey.fill(0);
      return { label, plain };
    },
  };
}

function encrypt(key: Uint8Array, nonce: Uint8Array, text: { readonly plain: Uint8Array; readonly bound: string }): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(text.bound));
  return Buffer.concat([nonce, cipher.update(text.plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Uint8Array, sealed: string, bound: string): Uint8Array {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw damaged();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    // The cause is left out: nothing of a secret's surroundings belongs in an error (L12).
    plain.fill(0);
    throw damaged();
  }
  return plain;
}

function wrongKey(sealedUnder: string, given: string): AppError {
  const remedy = 'start with the key the data was sealed under: PREDICTD_MASTER_KEY, or master.key in the data folder';
  return new AppError('master_key_wrong', `a secret was sealed under master key ${sealedUnder}, the one given is ${given}; ${remedy}.`);
}

function damaged(): AppError {
  return new AppError('store_corrupt', 'a sealed secret is damaged: restore the store from a backup');
}
