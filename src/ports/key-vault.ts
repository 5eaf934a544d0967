import type { Address, UserId } from '../domain/ids.ts';

/** Holds users' EVM keys sealed at rest (L12). Unsealed keys stay inside the adapter. */
export interface KeyVault {
  /** Makes a key for a new user, seals it and gives what is to be stored. */
  create(): { readonly address: Address; readonly sealed: string };
  /** Unseals a stored key into memory for signing. Errors: `master_key_wrong`. */
  load(userId: UserId, sealed: string): Address;
  /** True once the user's key is in memory. */
  has(userId: UserId): boolean;
  addressOf(userId: UserId): Address;
  /** Signs a 32-byte digest with the user's key: 65 bytes r ‖ s ‖ v, v = 27 or 28, low s, RFC 6979. */
  signDigest(userId: UserId, digest: Uint8Array): Uint8Array;
  /** Seals other small secrets (API credentials) under the same master key. */
  seal(plain: string): string;
  unseal(sealed: string): string;
}
