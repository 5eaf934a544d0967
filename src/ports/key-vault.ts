import type { Address, SolanaAddress, UserId } from '../domain/ids.ts';
import type { SealedSigner } from '../domain/transaction.ts';
import type { StoreWriter } from './store.ts';

/**
 * The families of wallet keys a user has. The Safe has no key of its own: the EVM key signs for it.
 */
export type WalletFamily = 'evm' | 'solana';

/** Addresses of a user's own keys. */
export interface KeyAddresses {
  readonly evm: Address;
  readonly solana: SolanaAddress;
}

/** Keys of a user who may be about to exist. */
export interface KeysDraft extends KeyAddresses {
  /**
   * Stores the sealed keys: called in the change that makes the user, so that both exist or
   * neither.
   */
  keep(tx: StoreWriter): void;
}

/**
 * Holds users' wallet keys sealed at rest (L12): a data key for each user under the master key.
 * Unsealed keys stay inside the adapter; what leaves are signatures, and an exported key when its
 * owner has proven to be one.
 */
export interface KeyVault {
  /** Makes a data key and the wallet keys of a new user. */
  draft(userId: UserId): Promise<KeysDraft>;
  /**
   * Unseals a user's keys into memory for signing. Errors: `not_found`, `master_key_wrong`,
   * `store_corrupt`.
   */
  load(userId: UserId): Promise<KeyAddresses>;
  /**
   * True while the user's keys are in memory. The calls below need that, and throw `not_found`
   * otherwise.
   */
  has(userId: UserId): boolean;
  /** Address of the user's EVM key. */
  addressOf(userId: UserId): Address;
  solanaAddressOf(userId: UserId): SolanaAddress;
  /**
   * Signs a 32-byte digest, such as that of typed data, with the EVM key: 65 bytes r ‖ s ‖ v, v =
   * 27 or 28, low s, RFC 6979.
   */
  signDigest(userId: UserId, digest: Uint8Array): Uint8Array;
  /** Signs bytes as a wallet's `personal_sign` does (EIP-191, version 0x45). */
  signPersonal(userId: UserId, message: Uint8Array): Uint8Array;
  /** Signs the bytes of a Solana transaction message: 64 bytes, Ed25519. */
  signSolana(userId: UserId, message: Uint8Array): Uint8Array;
  /**
   * Makes an Ed25519 key that signs beside the user's own for one thing, sealed under the user's
   * data key. Its private half is nowhere else.
   */
  draftSigner(userId: UserId): SealedSigner;
  /** Signs with such a key, as `signSolana` does with the user's own. Errors: `store_corrupt`. */
  signSealed(userId: UserId, signer: SealedSigner, message: Uint8Array): Uint8Array;
  /**
   * The private key as wallets read it: 0x and 64 hex digits, or base58 of seed ‖ public key. For
   * its owner's eyes alone: the text must reach nothing but the answer.
   */
  exportKey(userId: UserId, family: WalletFamily): string;
  /**
   * Seals a small secret of one user (venue credentials) under the user's data key, bound to what
   * it is for.
   */
  sealFor(userId: UserId, purpose: string, plain: string): string;
  unsealFor(userId: UserId, purpose: string, sealed: string): string;
  /** Seals other small secrets under the data key of the service. */
  seal(plain: string): string;
  /** Errors: `store_corrupt`. */
  unseal(sealed: string): string;
}
