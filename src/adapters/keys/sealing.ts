import { createCipheriv, createDecipheriv } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Random } from '../../ports/random.ts';

/** Bytes of a master key and of a data key (AES-256). */
export const KEY_BYTES = 32;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals bytes by AES-256-GCM under a fresh nonce and gives nonce ‖ ciphertext ‖ tag as base64url.
 * Only the same `bound` text opens it.
 */
export function sealBytes(
  key: Uint8Array,
  random: Random,
  { plain, bound }: { readonly plain: Uint8Array; readonly bound: string },
): string {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/**
 * Opens what `sealBytes` made; the caller wipes the bytes. Errors: `store_corrupt` when it was
 * changed, or sealed under another key or bound.
 */
export function openBytes(key: Uint8Array, sealed: string, bound: string): Uint8Array {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw damagedSeal();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    // The cause is left out: nothing of a secret's surroundings belongs in an error (L12).
    plain.fill(0);
    throw damagedSeal();
  }
  return plain;
}

/** A sealed record that does not open. */
export function damagedSeal(): AppError {
  return new AppError(
    'store_corrupt',
    'a sealed secret is damaged: restore the store from a backup',
  );
}
