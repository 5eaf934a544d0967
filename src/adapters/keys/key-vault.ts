import type { Runtime } from '../../ports/runtime.ts';
import { createHash } from 'node:crypto';
import { KEYS } from '../../../config/limits.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { KeyEncryptor, WrappedKey } from '../../ports/key-encryptor.ts';
import type { KeyVault, KeysDraft } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import { UNSHARED, type ShareSecret } from '../../ports/shared-secret.ts';
import type { Store } from '../../ports/store.ts';
import { hexOf } from '../wire/hex.ts';
import type { Keccak } from '../wire/keccak.ts';
import { evmAddressOf, newEvmKey, personalDigest, signEvmDigest } from './evm-key.ts';
import {
  DATA_KEYS,
  SERVICE,
  WALLET_KEYS,
  dataKeyContext,
  secretBound,
  walletKeyBound,
  type WalletKeys,
} from './key-tables.ts';
import { KEY_BYTES, damagedSeal, openBytes, sealBytes } from './sealing.ts';
import { signSolanaMessage, solanaAddressOf, solanaSecretText } from './solana-key.ts';
import { createUnsealedTable, type UnsealedTable } from './unsealed-keys.ts';

/** What the key of one thing is sealed for: no other key, and no other secret, passes for it. */
function signerPurpose(address: string): string {
  return `signer ${address}`;
}

/** Purpose of what the service seals for itself. */
const SERVICE_PURPOSE = 'service';

/**
 * Opens the vault: secp256k1 and Ed25519 keys of users, each sealed under its user's data key, and
 * the data keys wrapped by the encryptor. Makes the service's own data key at the first start.
 * Errors: `master_key_wrong` and `store_corrupt` on unsealing.
 */
export async function openKeyVault({
  store,
  random,
  encryptor,
  keccak,
  unsealedMaximum = KEYS.unsealedMaximum,
  share = UNSHARED,
}: Pick<Runtime, 'store' | 'random'> & {
  readonly encryptor: KeyEncryptor;
  readonly keccak: Keccak;
  /** Users whose keys are held in memory at most; the least recently used is wiped first. */
  readonly unsealedMaximum?: number;
  /** Absent where one process has all users. */
  readonly share?: ShareSecret;
}): Promise<KeyVault> {
  const unsealed = createUnsealedTable(unsealedMaximum);
  return {
    draft: (userId) =>
      draftKeys({ encryptor, random, keccak }, userId, {
        evm: newEvmKey(random),
        solana: random.bytes(KEY_BYTES),
      }),
    async load(userId) {
      const wallets = walletsOf(store, userId);
      const dataKey = await openDataKey(store, encryptor, userId);
      const { address } = wallets.evm;
      const evmKey = openBytes(dataKey, wallets.evm.sealed, walletKeyBound(userId, 'evm', address));
      if (evmAddressOf(evmKey, keccak) !== address)
        throw new AppError(
          'store_corrupt',
          `the sealed key of user ${userId} is not a key of its address`,
        );
      unsealed.put(userId, { evm: address, solana: wallets.solana.address, dataKey, evmKey });
      return { evm: address, solana: wallets.solana.address };
    },
    has: (userId) => unsealed.has(userId),
    addressOf: (userId) => unsealed.get(userId).evm,
    solanaAddressOf: (userId) => unsealed.get(userId).solana,
    signDigest: (userId, digest) => signEvmDigest(unsealed.get(userId).evmKey, digest),
    signPersonal: (userId, message) =>
      signEvmDigest(unsealed.get(userId).evmKey, personalDigest(keccak, message)),
    signSolana: (userId, message) =>
      withSeed({ store, unsealed }, userId, (seed) => signSolanaMessage(seed, message)),
    draftSigner(userId) {
      const seed = random.bytes(KEY_BYTES);
      const address = solanaAddressOf(seed);
      const sealed = sealText(
        unsealed.get(userId).dataKey,
        random,
        Buffer.from(seed).toString('hex'),
        secretBound(userId, signerPurpose(address)),
      );
      seed.fill(0);
      return { address, sealed };
    },
    signSealed(userId, { address, sealed }, message) {
      const { dataKey } = unsealed.get(userId);
      const bound = secretBound(userId, signerPurpose(address));
      const seed = Buffer.from(openText(dataKey, sealed, bound), 'hex');
      try {
        return signSolanaMessage(seed, message);
      } finally {
        seed.fill(0);
      }
    },
    exportKey: (userId, family) =>
      family === 'evm'
        ? hexOf(unsealed.get(userId).evmKey)
        : withSeed({ store, unsealed }, userId, solanaSecretText),
    sealFor: (userId, purpose, plain) =>
      sealText(unsealed.get(userId).dataKey, random, plain, secretBound(userId, purpose)),
    unsealFor: (userId, purpose, sealed) =>
      openText(unsealed.get(userId).dataKey, sealed, secretBound(userId, purpose)),
    ...serviceSecrets(await openServiceKey({ store, random }, encryptor, share), random),
  };
}

/** Seals given wallet keys of a user under a fresh data key, and wipes them. */
export async function draftKeys(
  {
    encryptor,
    random,
    keccak,
  }: {
    readonly encryptor: KeyEncryptor;
    readonly random: Random;
    readonly keccak: Keccak;
  },
  userId: UserId,
  keys: { readonly evm: Uint8Array; readonly solana: Uint8Array },
): Promise<KeysDraft> {
  const evm = evmAddressOf(keys.evm, keccak);
  assert(evm !== null, 'a wallet is drafted from a key');
  const solana = solanaAddressOf(keys.solana);
  const dataKey = random.bytes(KEY_BYTES);
  const wrapped = await encryptor.wrap(dataKey, dataKeyContext(userId));
  const wallets: WalletKeys = {
    evm: {
      address: evm,
      sealed: sealBytes(dataKey, random, {
        plain: keys.evm,
        bound: walletKeyBound(userId, 'evm', evm),
      }),
    },
    solana: {
      address: solana,
      sealed: sealBytes(dataKey, random, {
        plain: keys.solana,
        bound: walletKeyBound(userId, 'solana', solana),
      }),
    },
  };
  for (const secret of [dataKey, keys.evm, keys.solana]) secret.fill(0);
  return {
    evm,
    solana,
    keep(tx) {
      tx.put(DATA_KEYS, [userId], wrapped, 0);
      tx.put(WALLET_KEYS, [userId], wallets, 0);
    },
  };
}

function walletsOf(store: Store, userId: UserId): WalletKeys {
  const wallets = store.get(WALLET_KEYS, [userId])?.value;
  if (wallets === undefined) throw new AppError('not_found', `user ${userId} has no keys`);
  return wallets;
}

async function openDataKey(
  store: Store,
  encryptor: KeyEncryptor,
  owner: string,
): Promise<Uint8Array> {
  const wrapped = store.get(DATA_KEYS, [owner])?.value;
  if (wrapped === undefined)
    throw new AppError(
      'store_corrupt',
      `the data key of ${owner} is gone: restore the store from a backup`,
    );
  const dataKey = await encryptor.unwrap(wrapped, dataKeyContext(owner));
  if (dataKey.length !== KEY_BYTES) throw damagedSeal();
  return dataKey;
}

/** All shards have one: what one of them seals for the service the others open. */
async function openServiceKey(
  { store, random }: Pick<Runtime, 'store' | 'random'>,
  encryptor: KeyEncryptor,
  share: ShareSecret,
): Promise<Uint8Array> {
  const context = dataKeyContext(SERVICE);
  const kept = store.get(DATA_KEYS, [SERVICE])?.value;
  const own = kept ?? (await encryptor.wrap(random.bytes(KEY_BYTES), context));
  const digest = createHash('sha256').update(await encryptor.unwrap(own, context));
  const secret = { sealed: JSON.stringify(own), digest: digest.digest('base64url') };
  const agreed = await share(SERVICE, secret);
  if (kept === undefined) {
    await store.write((tx) => tx.put(DATA_KEYS, [SERVICE], wrappedIn(agreed.sealed), 0));
    await store.flushed();
  } else if (agreed.digest !== secret.digest)
    throw new AppError(
      'config_invalid',
      'the service key of this data folder is not that of the other shards: it is of another cluster.',
    );
  return openDataKey(store, encryptor, SERVICE);
}

function wrappedIn(text: string): WrappedKey {
  return JSON.parse(text) as WrappedKey; // as another shard has written it here
}

function serviceSecrets(serviceKey: Uint8Array, random: Random): Pick<KeyVault, 'seal' | 'unseal'> {
  return {
    seal: (plain) => sealText(serviceKey, random, plain, secretBound(SERVICE, SERVICE_PURPOSE)),
    unseal: (sealed) => openText(serviceKey, sealed, secretBound(SERVICE, SERVICE_PURPOSE)),
  };
}

/** Uses a user's Solana seed for a moment. */
function withSeed<T>(
  { store, unsealed }: { readonly store: Store; readonly unsealed: UnsealedTable },
  userId: UserId,
  use: (seed: Uint8Array) => T,
): T {
  const { dataKey } = unsealed.get(userId);
  const { address, sealed } = walletsOf(store, userId).solana;
  const seed = openBytes(dataKey, sealed, walletKeyBound(userId, 'solana', address));
  try {
    if (solanaAddressOf(seed) !== address)
      throw new AppError(
        'store_corrupt',
        `the sealed Solana key of user ${userId} is not a key of its address`,
      );
    return use(seed);
  } finally {
    seed.fill(0);
  }
}

/** Text form: `v2.` and the sealed bytes. */
function sealText(key: Uint8Array, random: Random, plain: string, bound: string): string {
  return `v2.${sealBytes(key, random, { plain: Buffer.from(plain, 'utf8'), bound })}`;
}

function openText(key: Uint8Array, sealed: string, bound: string): string {
  if (!sealed.startsWith('v2.')) throw damagedSeal();
  return Buffer.from(openBytes(key, sealed.slice('v2.'.length), bound)).toString('utf8');
}
