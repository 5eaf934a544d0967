import secp256k1 from 'secp256k1';
import { KEYS } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import { addressOfBytes } from '../wire/address.ts';
import type { Keccak } from '../wire/keccak.ts';
import type { Envelope } from './envelope.ts';
import { createEnvelope } from './envelope.ts';

/** What a vault is made of. */
export interface KeyVaultParts {
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  readonly random: Random;
  readonly keccak: Keccak;
  /** Keys held in memory at most; the least recently used is wiped first. */
  readonly unsealedMaximum?: number;
}

interface UnsealedKey {
  readonly address: Address;
  readonly privateKey: Uint8Array;
}

const SECRET_LABEL = 'secret';
const PRIVATE_KEY_BYTES = 32;

/**
 * Makes a vault of secp256k1 keys sealed under a master key. Errors: `config_invalid` for a master key of the wrong size,
 * `master_key_wrong` and `store_corrupt` on unsealing, `not_found` when a key is asked for that was not loaded.
 */
export function createKeyVault(parts: KeyVaultParts): KeyVault {
  const envelope = createEnvelope(parts.masterKey, parts.random);
  const unsealed = createUnsealedKeys(parts.unsealedMaximum ?? KEYS.unsealedMaximum);
  return {
    create() {
      const privateKey = newPrivateKey(parts.random);
      const address = addressOf(privateKey, parts.keccak);
      const sealed = envelope.seal(address, privateKey);
      privateKey.fill(0);
      return { address, sealed };
    },
    load(userId, sealed) {
      const { label, plain } = envelope.open(sealed);
      if (plain.length !== PRIVATE_KEY_BYTES || !secp256k1.privateKeyVerify(plain) || addressOf(plain, parts.keccak) !== label) {
        throw new AppError('store_corrupt', `the sealed key of user ${userId} is not a key of its address`);
      }
      const address = asId<Address>(label);
      unsealed.put(userId, { address, privateKey: plain });
      return address;
    },
    has: (userId) => unsealed.has(userId),
    addressOf: (userId) => unsealed.get(userId).address,
    signDigest: (userId, digest) => signDigest(unsealed.get(userId).privateKey, digest),
    ...secretsOf(envelope),
  };
}

function secretsOf(envelope: Envelope): Pick<KeyVault, 'seal' | 'unseal'> {
  return {
    seal: (plain) => envelope.seal(SECRET_LABEL, Buffer.from(plain, 'utf8')),
    unseal(sealed) {
      const { label, plain } = envelope.open(sealed);
      // A sealed key must not come out as text.
      if (label !== SECRET_LABEL) throw new AppError('store_corrupt', 'a sealed text was expected, a sealed key found');
      return Buffer.from(plain).toString('utf8');
    },
  };
}

function createUnsealedKeys(maximum: number): { put(userId: UserId, key: UnsealedKey): void; has(userId: UserId): boolean; get(userId: UserId): UnsealedKey } {
  // A Map keeps the order of insertion: re-inserting on use makes its first entry the least recently used.
  const keys = new Map<UserId, UnsealedKey>();
  const drop = (userId: UserId): void => {
    keys.get(userId)?.privateKey.fill(0);
    keys.delete(userId);
  };
  return {
    put(userId, key) {
      drop(userId);
      for (const oldest of keys.keys()) {
        if (keys.size < maximum) break;
        drop(oldest);
      }
      keys.set(userId, key);
    },
    has: (userId) => keys.has(userId),
    get(userId) {
      const key = keys.get(userId);
      if (key === undefined) throw new AppError('not_found', `the key of user ${userId} is not loaded`);
      keys.delete(userId);
      keys.set(userId, key);
      return key;
    },
  };
}

function newPrivateKey(random: Random): Uint8Array {
  // All but one in 2^127 draws are keys: a second failure means the source of chance is broken.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const privateKey = random.bytes(PRIVATE_KEY_BYTES);
    if (secp256k1.privateKeyVerify(privateKey)) return privateKey;
  }
  throw new Error('invariant broken: the source of chance gives no key');
}

function signDigest(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  const { signature, recid } = secp256k1.ecdsaSign(digest, privateKey);
  const bytes = new Uint8Array(65);
  bytes.set(signature, 0);
  bytes[64] = 27 + recid;
  return bytes;
}

function addressOf(privateKey: Uint8Array, keccak: Keccak): Address {
  const publicKey = secp256k1.publicKeyCreate(privateKey, false);
  return addressOfBytes(keccak, keccak(publicKey.subarray(1)).subarray(12));
}
