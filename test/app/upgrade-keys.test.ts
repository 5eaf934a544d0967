import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { POLYGON_CHAIN } from '../../config/profiles/profile.ts';
import { DATA_KEYS, WALLET_KEYS } from '../../src/adapters/keys/key-tables.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import type { MemoryStore, MemoryStoreOptions } from '../../src/adapters/memory/memory-store.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { WalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { createWalletAddresses } from '../../src/adapters/safe-relayer/derive.ts';
import { CREDENTIALS_PURPOSE } from '../../src/venues/venue-a/accounts.ts';
import type { Keccak } from '../../src/adapters/wire/keccak.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { openUpgradedVault } from '../../src/app/upgrade-keys.ts';
import type { Address, UserId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { Key, Table } from '../../src/ports/store.ts';
import { countingRandom } from '../support/known-keys.ts';
import { createKeptLog } from '../support/quiet.ts';

type OldRecord = Readonly<Record<string, unknown>>;
type OldStore = Readonly<
  Record<string, readonly { readonly key: Key; readonly value: OldRecord }[]>
>;
interface User {
  readonly address: Address;
  readonly safe?: Address;
  readonly solanaAddress?: string;
  readonly sealedKey?: string;
  readonly phoneSealed: string;
}

// Written by the daemon that had the first sealed form, under a master key of 32 bytes of 9.
const RECORDED = JSON.parse(
  readFileSync(new URL('../fixtures/first-sealed-store.json', import.meta.url), 'utf8'),
) as OldStore;
const USERS: Table<User> = { name: 'users' };
const NAMES = ['usr_ada', 'usr_bea', 'usr_cal'].map((name) => asId<UserId>(name));
const random = countingRandom();
let keccak: Keccak;
let wallets: WalletAddresses;

beforeAll(async () => {
  keccak = await loadKeccak();
  wallets = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
});

async function theOldStore(options?: MemoryStoreOptions): Promise<MemoryStore> {
  const store = createMemoryStore();
  await store.write((tx) => {
    for (const [name, records] of Object.entries(RECORDED))
      for (const { key, value } of records) tx.put({ name }, key, value);
  });
  await store.flushed();
  return store.powerCut(options);
}

function open(store: MemoryStore, masterKey = 9): Promise<KeyVault> {
  return openUpgradedVault({
    store,
    random,
    keccak,
    log: createKeptLog(),
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(masterKey), random),
    safeOf: wallets.safeOf,
  });
}

function field(store: MemoryStore, table: string, key: Key, name: string): string {
  return String(store.get<OldRecord>({ name: table }, key)?.value[name]);
}

/** What must be true of a store that was brought over, whatever happened on the way. */
async function expectWhole(store: MemoryStore): Promise<void> {
  const vault = await open(store);
  for (const [index, userId] of NAMES.entries()) {
    const before = RECORDED['users']?.[index]?.value;
    const user = store.get(USERS, [userId])?.value;
    expect(await vault.load(userId)).toEqual({
      evm: before?.['address'],
      solana: user?.solanaAddress,
    });
    expect([user?.address, user?.safe, user?.sealedKey]).toEqual([
      before?.['address'],
      wallets.safeOf(asId(String(before?.['address']))),
      undefined,
    ]);
    expect(vault.unseal(user?.phoneSealed ?? '')).toBe(`+1415555267${index}`);
  }
  expect(
    JSON.parse(
      vault.unsealFor(
        asId('usr_ada'),
        CREDENTIALS_PURPOSE,
        field(store, 'venue_a_credentials', ['usr_ada'], 'sealed'),
      ),
    ),
  ).toEqual({ key: 'k-ada', secret: 's-ada', passphrase: 'p-ada' });
  expect([
    vault.unseal(field(store, 'identity_secrets', ['digest_key'], 'sealed')),
    vault.unseal(field(store, 'signing_keys', [1_795_248_000_000, 'kid'], 'sealed')),
    vault.unseal(field(store, 'challenges', ['ch_1'], 'phoneSealed')),
  ]).toEqual(['ab'.repeat(32), 'cd'.repeat(32), '+14155552679']);
}

describe('a store of the first sealed form', () => {
  it('gets data keys, a Solana key and a Safe for each user at the first start, and keeps every EVM key and secret', async () => {
    const store = await theOldStore();
    await expectWhole(store);
    expect([
      store.range(DATA_KEYS).length,
      store.range(WALLET_KEYS).length,
      new Set(store.range(USERS).map(({ value }) => value.solanaAddress)).size,
    ]).toEqual([4, 3, 3]);
    expect(
      JSON.stringify(Object.keys(RECORDED).flatMap((name) => store.range({ name }))),
    ).not.toContain('"v1.');
  });

  it('is whole after a power cut between any two writes, and gives no user a second Solana key', async () => {
    const cuts: MemoryStore[] = [];
    const store = await theOldStore({
      onCommit: () => void cuts.push(store.powerCut(), store.powerCut({ keptCommits: 1 })),
    });
    await open(store);
    expect(cuts.length).toBeGreaterThan(10);
    for (const cut of cuts) {
      const known = cut.range(USERS).map(({ value }) => value.solanaAddress);
      await expectWhole(cut);
      expect(
        cut.range(USERS).map(({ value }, index) => known[index] ?? value.solanaAddress),
      ).toEqual(cut.range(USERS).map(({ value }) => value.solanaAddress));
    }
  });

  it('is left alone by the second start', async () => {
    const store = await theOldStore();
    await open(store);
    const { commits } = store;
    await open(store);
    expect(store.commits).toBe(commits);
  });

  it('stops the start under the wrong master key before anything is written', async () => {
    const store = await theOldStore();
    await expect(open(store, 8)).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(store.commits).toBe(0);
  });

  it("L12: fails closed when a sealed key was changed, or is another user's", async () => {
    const [ada, bea] = [await theOldStore(), await theOldStore()];
    const keyOf = (store: MemoryStore, name: string) => store.get(USERS, [name])?.value;
    await ada.write((tx) =>
      tx.put(USERS, ['usr_ada'], {
        ...keyOf(ada, 'usr_ada'),
        sealedKey: keyOf(ada, 'usr_bea')?.sealedKey,
      } as User),
    );
    await expect(open(ada)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: 'the sealed key of user usr_ada is not a key of its address',
    });
    const sealed = keyOf(bea, 'usr_bea')?.sealedKey ?? '';
    await bea.write((tx) =>
      tx.put(USERS, ['usr_bea'], {
        ...keyOf(bea, 'usr_bea'),
        sealedKey: `${sealed.slice(0, -8)}AAAAAAAA`,
      } as User),
    );
    await expect(open(bea)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: 'a sealed secret is damaged: restore the store from a backup',
    });
  });
});
