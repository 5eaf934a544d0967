import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import {
  address,
  getAddressDecoder,
  getAddressEncoder,
  signatureBytes,
  type Address,
  type SignatureBytes,
} from '@solana/kit';
import type { SeededAccount } from './instructions.ts';

/** A key of the sandbox's own, worth nothing anywhere else. */
export interface SolanaKey {
  readonly address: Address;
  sign(message: Uint8Array): SignatureBytes;
}

/** What precedes the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the key that a text names. */
export function solanaKey(name: string): SolanaKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, hashOf(name)]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(-32);
  return {
    address: addressOf(publicKey),
    sign: (message) => signatureBytes(sign(null, Buffer.from(message), privateKey)),
  };
}

/**
 * Returns the account that a base key has under a name for a program: its seed is the begin of the
 * name's hash.
 */
export function seededAccount(base: Address, name: string, program: Address): SeededAccount {
  const seed = hashOf(name).toString('hex').slice(0, 16);
  const encoder = getAddressEncoder();
  const address = addressOf(
    createHash('sha256')
      .update(Uint8Array.from(encoder.encode(base)))
      .update(seed)
      .update(Uint8Array.from(encoder.encode(program)))
      .digest(),
  );
  return { address, base, seed, program };
}

/** Returns an address that a text names and that has no private key. */
export function nobodysAddress(name: string): Address {
  return addressOf(hashOf(name));
}

function hashOf(name: string): Buffer {
  return createHash('sha256').update(`predictd ${name}`).digest();
}

function addressOf(bytes: Uint8Array): Address {
  return address(getAddressDecoder().decode(bytes));
}
