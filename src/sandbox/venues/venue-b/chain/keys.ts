import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import {
  address,
  getAddressDecoder,
  getAddressEncoder,
  isOffCurveAddress,
  signatureBytes,
  type Address,
  type SignatureBytes,
} from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM } from '../../../chains/solana/addresses.ts';

/** A key of the sandbox's own, worth nothing anywhere else. */
export interface SolanaKey {
  readonly address: Address;
  sign(message: Uint8Array): SignatureBytes;
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS#8 (RFC 8410). */
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

/** Returns an address that a text names and nobody has the key of. */
export function nobodysAddress(name: string): Address {
  return addressOf(hashOf(name));
}

/** Returns the one account a wallet has for a mint (web3.md section 8.2), at once: a virtual clock waits for nobody. */
export function associatedAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const encoder = getAddressEncoder();
  const seeds = Buffer.concat(
    [owner, tokenProgram, mint].map((part) => Uint8Array.from(encoder.encode(part))),
  );
  const tail = Buffer.concat([
    Uint8Array.from(encoder.encode(ASSOCIATED_TOKEN_PROGRAM)),
    Buffer.from('ProgramDerivedAddress'),
  ]);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const derived = addressOf(
      createHash('sha256').update(seeds).update(Uint8Array.of(bump)).update(tail).digest(),
    );
    if (isOffCurveAddress(derived)) return derived;
  }
  throw new Error(`${owner} has no account for ${mint}`);
}

function hashOf(name: string): Buffer {
  return createHash('sha256').update(`predictd ${name}`).digest();
}

function addressOf(bytes: Uint8Array): Address {
  return address(getAddressDecoder().decode(bytes));
}
