import { sign } from 'node:crypto';
import { asId, type SolanaAddress } from '../../domain/ids.ts';
import { base58Of } from '../wire/base58.ts';
import { ed25519Key, ed25519PublicBytes } from '../wire/ed25519.ts';

/** Address of a 32-byte seed: base58 of the public key. */
export function solanaAddressOf(seed: Uint8Array): SolanaAddress {
  return asId<SolanaAddress>(base58Of(ed25519PublicBytes(ed25519Key(seed))));
}

/** Signs a message: 64 bytes. */
export function signSolanaMessage(seed: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(sign(null, message, ed25519Key(seed)));
}

/**
 * The seed and its public key in base58, as Solana wallets read a secret key (web3.md section 8.2).
 */
export function solanaSecretText(seed: Uint8Array): string {
  const secret = new Uint8Array(64);
  secret.set(seed, 0);
  secret.set(ed25519PublicBytes(ed25519Key(seed)), 32);
  const text = base58Of(secret);
  secret.fill(0);
  return text;
}
