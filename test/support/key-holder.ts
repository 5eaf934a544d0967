import secp256k1 from 'secp256k1';
import { hexToBytes, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { asId, type Address, type UserId } from '../../src/domain/ids.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';

/** The signing half of a vault for publicly known test keys; never fund them. */
export type KeyHolder = Pick<KeyVault, 'addressOf' | 'signDigest'>;

/** Holds keys by user id in the open, in place of a vault. */
export function holdKeys(keys: Readonly<Record<string, Hex>>): KeyHolder {
  const keyOf = (userId: UserId): Hex => {
    const key = keys[userId];
    if (key === undefined) throw new Error(`the key of user ${userId} is not loaded`);
    return key;
  };
  const sign = (userId: UserId, digest: Uint8Array): Uint8Array => {
    const { signature, recid } = secp256k1.ecdsaSign(digest, hexToBytes(keyOf(userId)));
    return Uint8Array.of(...signature, 27 + recid);
  };
  return {
    addressOf: (userId) => asId<Address>(privateKeyToAddress(keyOf(userId))),
    signDigest: sign,
  };
}
