import { createPublicKey, verify } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { Keypair } from '@solana/web3.js';
import { hashMessage, recoverAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATA_KEYS, WALLET_KEYS } from '../../../src/adapters/keys/key-tables.ts';
import { draftKeys, openKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../../src/adapters/keys/local-encryptor.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { hexOf } from '../../../src/adapters/wire/hex.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import { countingRandom } from '../../support/known-keys.ts';

const [ADA, BEA, CAL] = [asId<UserId>('usr_ada'), asId<UserId>('usr_bea'), asId<UserId>('usr_cal')];
const SEED = new Uint8Array(32).fill(7);
const EVM_KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const DIGEST = new Uint8Array(32).fill(0x42);
const random = countingRandom();
let keccak: Keccak;

beforeAll(async () => {
  keccak = await loadKeccak();
});

function openVault(
  store: MemoryStore,
  change: { masterKey?: number; unsealedMaximum?: number } = {},
): Promise<KeyVault> {
  const { masterKey = 1, ...rest } = change;
  return openKeyVault({
    store,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(masterKey), random),
    random,
    keccak,
    ...rest,
  });
}

async function addUser(store: MemoryStore, vault: KeyVault, userId: UserId) {
  const draft = await vault.draft(userId);
  await store.write((tx) => draft.keep(tx));
  return draft;
}

/** A store with one user whose keys are known. */
async function aStoreOfAda(): Promise<MemoryStore> {
  const store = createMemoryStore();
  await openVault(store);
  const parts = {
    random,
    keccak,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(1), random),
  };
  const draft = await draftKeys(parts, ADA, { evm: EVM_KEY.slice(), solana: SEED.slice() });
  await store.write((tx) => draft.keep(tx));
  return store;
}

describe('key vault', () => {
  it('gives the addresses of the keys it made, and signs with them after a restart', async () => {
    const store = createMemoryStore();
    const { evm, solana } = await addUser(store, await openVault(store), ADA);
    const restarted = await openVault(store);
    expect(restarted.has(ADA)).toBe(false);
    expect(await restarted.load(ADA)).toEqual({ evm, solana });
    const signature = restarted.signDigest(ADA, DIGEST);
    expect([signature.length, restarted.addressOf(ADA), restarted.solanaAddressOf(ADA)]).toEqual([
      65,
      evm,
      solana,
    ]);
    expect(await recoverAddress({ hash: hexOf(DIGEST), signature: hexOf(signature) })).toBe(evm);
  });

  it('agrees with the wallets of both chains about addresses and exported keys', async () => {
    const vault = await openVault(await aStoreOfAda());
    const { evm, solana } = await vault.load(ADA);
    expect([evm, solana]).toEqual([
      privateKeyToAddress(hexOf(EVM_KEY)),
      'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
    ]);
    expect(vault.exportKey(ADA, 'evm')).toBe(hexOf(EVM_KEY));
    expect(vault.exportKey(ADA, 'solana')).toBe(
      getBase58Decoder().decode(Keypair.fromSeed(SEED).secretKey),
    );
  });

  it('signs personal messages as wallets do, and Solana messages that Ed25519 verifies', async () => {
    const vault = await openVault(await aStoreOfAda());
    const { evm } = await vault.load(ADA);
    const personal = vault.signPersonal(ADA, DIGEST);
    expect(
      await recoverAddress({ hash: hashMessage({ raw: DIGEST }), signature: hexOf(personal) }),
    ).toBe(evm);
    const message = Buffer.from('a transaction message');
    const key = createPublicKey({
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        x: Buffer.from(Keypair.fromSeed(SEED).publicKey.toBytes()).toString('base64url'),
      },
      format: 'jwk',
    });
    const signature = vault.signSolana(ADA, message);
    expect([
      signature.length,
      verify(null, message, key, signature),
      verify(null, Buffer.from('another'), key, signature),
    ]).toEqual([64, true, false]);
  });

  it('L12: keeps keys out of what is stored and of every error', async () => {
    const store = await aStoreOfAda();
    const text = JSON.stringify([store.range(DATA_KEYS), store.range(WALLET_KEYS)]);
    for (const secret of [EVM_KEY, SEED]) {
      for (const form of ['hex', 'base64url', 'base64'] as const)
        expect(text).not.toContain(Buffer.from(secret).toString(form).slice(0, 16));
    }
    const wallets = store.get(WALLET_KEYS, [ADA])?.value;
    await store.write(
      (tx) =>
        wallets &&
        tx.put(WALLET_KEYS, [ADA], {
          ...wallets,
          evm: { ...wallets.evm, sealed: `${wallets.evm.sealed.slice(0, -4)}AAAA` },
        }),
    );
    await expect((await openVault(store)).load(ADA)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: 'a sealed secret is damaged: restore the store from a backup',
    });
  });

  it('tells a wrong master key at once, and before anything is written under it', async () => {
    const store = await aStoreOfAda();
    const before = store.range(DATA_KEYS);
    await expect(openVault(store, { masterKey: 2 })).rejects.toMatchObject({
      code: 'master_key_wrong',
    });
    expect(store.range(DATA_KEYS)).toEqual(before);
  });

  it.each([
    ['of another user', (keys: StoredKeys) => ({ data: keys.bea.data, wallets: keys.bea.wallets })],
    [
      'of another user under this data key',
      (keys: StoredKeys) => ({ data: keys.ada.data, wallets: keys.bea.wallets }),
    ],
    [
      'with a data key of another user',
      (keys: StoredKeys) => ({ data: keys.bea.data, wallets: keys.ada.wallets }),
    ],
    [
      'that are the Solana key in the place of the EVM key',
      (keys: StoredKeys) => ({
        data: keys.ada.data,
        wallets: {
          ...keys.ada.wallets,
          evm: { ...keys.ada.wallets.evm, sealed: keys.ada.wallets.solana.sealed },
        },
      }),
    ],
    [
      'with the address of another user',
      (keys: StoredKeys) => ({
        data: keys.ada.data,
        wallets: {
          ...keys.ada.wallets,
          evm: { ...keys.ada.wallets.evm, address: keys.bea.wallets.evm.address },
        },
      }),
    ],
  ])('does not open sealed keys %s', async (_what, swap) => {
    const store = await aStoreOfAda();
    const vault = await openVault(store);
    await addUser(store, vault, BEA);
    const stored = (userId: UserId) => ({
      data: found(store.get(DATA_KEYS, [userId])),
      wallets: found(store.get(WALLET_KEYS, [userId])),
    });
    const { data, wallets } = swap({ ada: stored(ADA), bea: stored(BEA) });
    await store.write((tx) => {
      tx.put(DATA_KEYS, [ADA], data);
      tx.put(WALLET_KEYS, [ADA], wallets);
    });
    await expect(vault.load(ADA)).rejects.toMatchObject({ code: 'store_corrupt' });
  });

  it('seals other secrets for the service, a user and a purpose, and opens them for no other owner or purpose', async () => {
    const store = await aStoreOfAda();
    const vault = await openVault(store);
    await addUser(store, vault, BEA);
    await vault.load(ADA);
    await vault.load(BEA);
    const sealed = vault.sealFor(ADA, 'credentials', 'pässwörd');
    expect([
      vault.unsealFor(ADA, 'credentials', sealed),
      vault.unseal(vault.seal('the service')),
    ]).toEqual(['pässwörd', 'the service']);
    expect(vault.seal('same')).not.toBe(vault.seal('same'));
    const corrupt = expect.objectContaining({ code: 'store_corrupt' });
    expect(() => vault.unsealFor(BEA, 'credentials', sealed)).toThrowError(corrupt);
    expect(() => vault.unsealFor(ADA, 'another purpose', sealed)).toThrowError(corrupt);
    expect(() => vault.unseal(sealed)).toThrowError(corrupt);
    expect(() => vault.unseal('nonsense')).toThrowError(corrupt);
    expect(() =>
      vault.unsealFor(ADA, 'credentials', `v2.${found(store.get(WALLET_KEYS, [ADA])).evm.sealed}`),
    ).toThrowError(corrupt);
  });

  it('makes a user and the keys in one change: a draft that is not kept leaves nothing', async () => {
    const store = createMemoryStore();
    const vault = await openVault(store);
    const draft = await vault.draft(ADA);
    await expect(
      store.write((tx) => {
        draft.keep(tx);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await expect(vault.load(ADA)).rejects.toMatchObject({ code: 'not_found' });
    expect(store.get(DATA_KEYS, [ADA])).toBeNull();
  });

  it('never gives two users one key, and never lets a second draft take the place of the first', async () => {
    const store = createMemoryStore();
    const vault = await openVault(store);
    const [ada, bea] = [await addUser(store, vault, ADA), await addUser(store, vault, BEA)];
    expect(new Set([ada.evm, bea.evm, ada.solana, bea.solana]).size).toBe(4);
    const again = await vault.draft(ADA);
    await expect(store.write((tx) => again.keep(tx))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('holds a bounded number of keys and drops the least recently used', async () => {
    const store = createMemoryStore();
    const vault = await openVault(store, { unsealedMaximum: 2 });
    for (const userId of [ADA, BEA, CAL]) await addUser(store, vault, userId);
    await vault.load(ADA);
    await vault.load(BEA);
    vault.addressOf(ADA);
    await vault.load(CAL);
    expect([ADA, BEA, CAL].map((user) => vault.has(user))).toEqual([true, false, true]);
    expect(() => vault.signDigest(BEA, DIGEST)).toThrowError(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});

interface StoredKeys {
  readonly ada: {
    readonly data: Found<typeof DATA_KEYS>;
    readonly wallets: Found<typeof WALLET_KEYS>;
  };
  readonly bea: StoredKeys['ada'];
}
type Found<T extends { readonly record?: unknown }> = NonNullable<T['record']>;

function found<T>(record: { readonly value: T } | null): T {
  if (record === null) throw new Error('nothing is stored');
  return record.value;
}
