import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_KEYS, WALLET_KEYS, type WalletKeys } from '../../../src/adapters/keys/key-tables.ts';
import { draftKeys, openKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../../src/adapters/keys/local-encryptor.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import { countingRandom } from '../../support/known-keys.ts';

const ADA = asId<UserId>('usr_ada');
const MASTER = Uint8Array.from({ length: 32 }, (_, index) => 0xa0 + index);
const EVM_KEY = Uint8Array.from({ length: 32 }, (_, index) => 3 * index + 1);
const SEED = Uint8Array.from({ length: 32 }, (_, index) => 200 - 5 * index);
const random = countingRandom();
const folder = mkdtempSync(join(tmpdir(), 'predictd-stolen-'));
let keccak: Keccak;

beforeAll(async () => {
  keccak = await loadKeccak();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Puts a user with known keys, and venue credentials, into a store. */
async function fill(store: Store) {
  const parts = { store, random, keccak, encryptor: createLocalEncryptor(MASTER, random) };
  const vault = await openKeyVault(parts);
  const draft = await draftKeys(parts, ADA, { evm: EVM_KEY.slice(), solana: SEED.slice() });
  await store.write((tx) => draft.keep(tx));
  await vault.load(ADA);
  await store.write((tx) => {
    tx.put({ name: 'credentials' }, [ADA], {
      sealed: vault.sealFor(ADA, 'credentials', 'a venue secret'),
      runtime: vault.seal('a service secret'),
    });
  });
  await store.flushed();
  return vault;
}

function bytesIn(path: string): Buffer {
  return Buffer.concat(
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file)),
  );
}

describe('a stolen store', () => {
  it('L12: shows no byte of a key, a seed, a secret or the master key, in any form', async () => {
    const path = join(folder, 'store');
    const store = await openLmdbStore({ path });
    const vault = await fill(store);
    const address = vault.addressOf(ADA);
    await store.close();
    const stolen = bytesIn(path);
    expect(stolen.includes(address)).toBe(true);
    for (const secret of [
      EVM_KEY,
      SEED,
      MASTER,
      Buffer.from('a venue secret'),
      Buffer.from('a service secret'),
    ]) {
      const forms = [
        Buffer.from(secret).subarray(0, 8),
        ...(['hex', 'base64', 'base64url'] as const).map((form) =>
          Buffer.from(Buffer.from(secret).toString(form).slice(0, 12)),
        ),
      ];
      expect(forms.map((form) => stolen.includes(form))).toEqual([false, false, false, false]);
    }
  });

  it('L12: opens nothing once a single bit of a sealed record was changed', async () => {
    const store = createMemoryStore();
    await fill(store);
    const dataKey = store.get(DATA_KEYS, [ADA])?.value;
    const wallets = store.get(WALLET_KEYS, [ADA])?.value;
    if (dataKey === undefined || wallets === undefined) throw new Error('nothing is stored');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('data key', 'evm', 'solana'),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        async (what, at, bit) => {
          const spoilt =
            what === 'data key'
              ? { dataKey: { ...dataKey, wrapped: flipped(dataKey.wrapped, at, bit) }, wallets }
              : {
                  dataKey,
                  wallets: withFlipped(wallets, what === 'evm' ? 'evm' : 'solana', { at, bit }),
                };
          const copy = createMemoryStore();
          await copy.write((tx) => {
            for (const record of store.range(DATA_KEYS))
              tx.put(DATA_KEYS, record.key, record.value);
            tx.put(DATA_KEYS, [ADA], spoilt.dataKey);
            tx.put(WALLET_KEYS, [ADA], spoilt.wallets);
          });
          const vault = await openKeyVault({
            store: copy,
            random,
            keccak,
            encryptor: createLocalEncryptor(MASTER, random),
          });
          await expect(
            vault.load(ADA).then(() => vault.signSolana(ADA, new Uint8Array(4))),
          ).rejects.toMatchObject({ code: 'store_corrupt' });
        },
      ),
      { numRuns: 200 },
    );
  });
});

function withFlipped(
  wallets: WalletKeys,
  family: keyof WalletKeys,
  { at, bit }: { readonly at: number; readonly bit: number },
): WalletKeys {
  return {
    ...wallets,
    [family]: { ...wallets[family], sealed: flipped(wallets[family].sealed, at, bit) },
  };
}

function flipped(sealed: string, at: number, bit: number): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const index = at % bytes.length;
  bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << bit), index);
  return bytes.toString('base64url');
}
