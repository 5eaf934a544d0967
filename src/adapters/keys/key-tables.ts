import type { Address, SolanaAddress } from '../../domain/ids.ts';
import type { WrappedKey } from '../../ports/key-encryptor.ts';
import type { Table } from '../../ports/store.ts';

/**
 * A user's wallet keys, each sealed under the user's data key and bound to user, family, address
 * and version.
 */
export interface WalletKeys {
  readonly evm: { readonly address: Address; readonly sealed: string };
  readonly solana: { readonly address: SolanaAddress; readonly sealed: string };
}

/**
 * Data keys under the master key: [userId], and ['service'] for secrets that are no user's. All
 * that a new master key has to touch.
 */
export const DATA_KEYS: Table<WrappedKey> = { name: 'data_keys' };
/** Sealed wallet keys: [userId]. */
export const WALLET_KEYS: Table<WalletKeys> = { name: 'wallet_keys' };

/** Whose the data key of the service is; user ids begin with "usr_". */
export const SERVICE = 'service';

/** What a data key is bound to while it is wrapped. */
export function dataKeyContext(owner: string): string {
  return `v2|data key|${owner}`;
}

/** What a sealed wallet key is bound to: it cannot be moved to another user, family or address. */
export function walletKeyBound(userId: string, family: 'evm' | 'solana', address: string): string {
  return `v2|wallet key|${userId}|${family}|${address}`;
}

/** What another sealed secret is bound to. */
export function secretBound(owner: string, purpose: string): string {
  return `v2|secret|${owner}|${purpose}`;
}
