import { createEnvelope } from '../../src/adapters/keys/envelope.ts';
import { createKeyVault } from '../../src/adapters/keys/key-vault.ts';
import { bytesOfHex } from '../../src/adapters/wire/hex.ts';
import type { Keccak } from '../../src/adapters/wire/keccak.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { Random } from '../../src/ports/random.ts';

/** A vault that holds one publicly known test key; never fund it. */
export function vaultWith(keccak: Keccak, userId: UserId, privateKey: string): KeyVault {
  const random = countingRandom();
  const masterKey = new Uint8Array(32).fill(9);
  const vault = createKeyVault({ masterKey, random, keccak });
  const bytes = bytesOfHex(privateKey, 32) ?? new Uint8Array();
  const address = vaultAddress(keccak, bytes);
  vault.load(userId, createEnvelope(masterKey, random).seal(address, bytes));
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

function vaultAddress(keccak: Keccak, privateKey: Uint8Array): string {
  // A vault whose chance is the key itself tells the key's address.
  return createKeyVault({ masterKey: new Uint8Array(32), random: { integer: () => 0, bytes: (count) => privateKey.slice(0, count) }, keccak }).create().address;
}

