import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { assert } from '../../domain/errors.ts';

/** DER around a raw Ed25519 seed (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Bytes of DER before the raw public key (RFC 8410, section 4). */
const SPKI_PREFIX_BYTES = 12;

/** Makes the private key of a 32-byte seed. The DER around it is wiped. */
export function ed25519Key(seed: Uint8Array): KeyObject {
  assert(seed.length === 32, 'an Ed25519 seed has 32 bytes');
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  return key;
}

/** The 32 raw bytes of a private key's public half. */
export function ed25519PublicBytes(privateKey: KeyObject): Uint8Array {
  return new Uint8Array(
    createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX_BYTES),
  );
}
