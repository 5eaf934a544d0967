import { draftKeys, openKeyVault } from '../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { bytesOfHex } from '../../src/adapters/wire/hex.ts';
import type { Keccak } from '../../src/adapters/wire/keccak.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { Random } from '../../src/ports/random.ts';

/** A user with a publicly known EVM key; never fund it. */
export interface KnownUser {
  readonly userId: UserId;
  readonly privateKey: string;
}

/** A vault that holds one publicly known test key. */
export function vaultWith(keccak: Keccak, userId: UserId, privateKey: string): Promise<KeyVault> {
  return vaultOf(keccak, [{ userId, privateKey }]);
}

/** A vault that holds the keys of these users, loaded. */
export async function vaultOf(keccak: Keccak, users: readonly KnownUser[]): Promise<KeyVault> {
  const random = countingRandom();
  const store = createMemoryStore();
  const parts = {
    store,
    random,
    keccak,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(9), random),
  };
  const vault = await openKeyVault(parts);
  for (const { userId, privateKey } of users) {
    const draft = await draftKeys(parts, userId, {
      evm: bytesOfHex(privateKey, 32) ?? new Uint8Array(),
      solana: random.bytes(32),
    });
    await store.write((tx) => draft.keep(tx));
    await vault.load(userId);
  }
  return vault;
}

/** Chance that counts upwards: enough where only difference matters. */
export function countingRandom(): Random {
  let next = 1;
  return {
    integer: (bound) => next++ % bound,
    bytes: (count) => Uint8Array.from({ length: count }, () => next++ & 0xff),
  };
}
