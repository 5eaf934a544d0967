import type { Address } from '../../domain/ids.ts';
import type { Random } from '../../ports/random.ts';
import { addressOfBytes } from '../wire/address.ts';
import { curve } from '../wire/secp256k1.ts';
import type { Keccak } from '../wire/keccak.ts';
import { KEY_BYTES } from './sealing.ts';

const PERSONAL_PREFIX = '\u0019Ethereum Signed Message:\n';

/** Draws a secp256k1 private key. */
export function newEvmKey(random: Random): Uint8Array {
  // All but one in 2^127 draws are keys: a second failure means the source of chance is broken.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const privateKey = random.bytes(KEY_BYTES);
    if (curve.isPrivateKey(privateKey)) return privateKey;
  }
  throw new Error('invariant broken: the source of chance gives no key');
}

/** Address of a private key; null when the bytes are no key. */
export function evmAddressOf(privateKey: Uint8Array, keccak: Keccak): Address | null {
  if (privateKey.length !== KEY_BYTES || !curve.isPrivateKey(privateKey)) return null;
  const publicKey = curve.publicKeyOf(privateKey);
  return addressOfBytes(keccak, keccak(publicKey.subarray(1)).subarray(12));
}

/** Signs a digest: r ‖ s ‖ v. */
export function signEvmDigest(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  const { signature, recoveryId } = curve.sign(digest, privateKey);
  const bytes = new Uint8Array(65);
  bytes.set(signature, 0);
  bytes[64] = 27 + recoveryId;
  return bytes;
}

/** The digest `personal_sign` signs for a message (EIP-191, version 0x45). */
export function personalDigest(keccak: Keccak, message: Uint8Array): Uint8Array {
  return keccak(
    Buffer.concat([Buffer.from(`${PERSONAL_PREFIX}${message.length}`, 'ascii'), message]),
  );
}
