import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { KeyAddresses } from '../../ports/key-vault.ts';

/**
 * What is in memory of a user who may sign. The Solana key is not: it is unsealed for each
 * signature.
 */
interface UnsealedKeys extends KeyAddresses {
  readonly dataKey: Uint8Array;
  readonly evmKey: Uint8Array;
}

/** Unsealed keys of users, the least recently used wiped first beyond a bound. */
export interface UnsealedTable {
  put(userId: UserId, keys: UnsealedKeys): void;
  has(userId: UserId): boolean;
  /** Errors: `not_found`. */
  get(userId: UserId): UnsealedKeys;
}

/** Makes an empty table. */
export function createUnsealedTable(maximum: number): UnsealedTable {
  // A Map keeps the order of insertion: re-inserting on use makes its first entry the least
  // recently used.
  const table = new Map<UserId, UnsealedKeys>();
  const drop = (userId: UserId): void => {
    const keys = table.get(userId);
    keys?.dataKey.fill(0);
    keys?.evmKey.fill(0);
    table.delete(userId);
  };
  return {
    put(userId, keys) {
      drop(userId);
      for (const oldest of table.keys()) {
        if (table.size < maximum) break;
        drop(oldest);
      }
      table.set(userId, keys);
    },
    has: (userId) => table.has(userId),
    get(userId) {
      const keys = table.get(userId);
      if (keys === undefined)
        throw new AppError('not_found', `the keys of user ${userId} are not loaded`);
      table.delete(userId);
      table.set(userId, keys);
      return keys;
    },
  };
}
