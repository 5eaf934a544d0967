import { beforeAll, describe, expect, it } from 'vitest';
import { REWRAP } from '../../../config/limits/key.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createEncryptorRing } from '../../../src/adapters/keys/encryptor-ring.ts';
import { DATA_KEYS, WALLET_KEYS } from '../../../src/adapters/keys/key-tables.ts';
import { openKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { createLocalEncryptor } from '../../../src/adapters/keys/local-encryptor.ts';
import { startRewrap } from '../../../src/adapters/keys/rewrap.ts';
import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreHooks,
} from '../../../src/adapters/memory/memory-store.ts';
import { hexOf } from '../../../src/adapters/wire/hex.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { KeyEncryptor } from '../../../src/ports/key-encryptor.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { countingRandom } from '../../support/known-keys.ts';

/** Three pages of data keys, the last one short, with the service's. */
const USERS = Array.from({ length: 2 * REWRAP.keysPerWrite + 5 }, (_, index) =>
  asId<UserId>(`usr_${String(index).padStart(4, '0')}`),
);
const KEYS = USERS.length + 1;
const DIGEST = new Uint8Array(32).fill(0x42);
const random = countingRandom();
const masterKey = (byte: number): KeyEncryptor =>
  createLocalEncryptor(new Uint8Array(32).fill(byte), random);
const [OLD, NEW] = [masterKey(1), masterKey(2)];
const changing = createEncryptorRing(NEW, [OLD]);
let keccak: Keccak;
let sealedUnderOld: MemoryStore;

beforeAll(async () => {
  keccak = await loadKeccak();
  sealedUnderOld = createMemoryStore();
  const vault = await openVault(sealedUnderOld, OLD);
  for (const userId of USERS) {
    const draft = await vault.draft(userId);
    await sealedUnderOld.write((tx) => draft.keep(tx));
  }
  await sealedUnderOld.flushed();
});

function openVault(store: MemoryStore, encryptor: KeyEncryptor): Promise<KeyVault> {
  return openKeyVault({ store, encryptor, random, keccak });
}

/** A start with both master keys: the vault opens and the change goes on. */
async function startChanging(store: MemoryStore) {
  const clock = createVirtualClock(0);
  const [log, metrics] = [createKeptLog(), createKeptMetrics()];
  const vault = await openVault(store, changing);
  return {
    vault,
    clock,
    log,
    metrics,
    rewrap: startRewrap({ store, encryptor: changing, clock, log, metrics }),
  };
}

async function changeToTheEnd(store: MemoryStore): Promise<number> {
  const { rewrap, clock } = await startChanging(store);
  await clock.runUntilIdle(60_000);
  return rewrap.done;
}

function under(store: MemoryStore, { keyId }: KeyEncryptor): number {
  return store.range(DATA_KEYS).filter(({ value }) => value.keyId === keyId).length;
}

const fresh = (options?: MemoryStoreHooks) => sealedUnderOld.crash(options);

describe('a change of the master key', () => {
  it('wraps every data key anew while the daemon signs and makes users, touches no wallet key, and says when the old key is needless', async () => {
    const store = fresh();
    const walletsBefore = store.range(WALLET_KEYS);
    const { vault, clock, metrics, log, rewrap } = await startChanging(store);
    const [first, last] = [USERS[0] ?? asId<UserId>(''), USERS.at(-1) ?? asId<UserId>('')];
    await vault.load(first);
    const signed = vault.signDigest(first, DIGEST);
    await clock.advance(0);
    expect(metrics.counts.get('data_keys_to_rewrap')).toBe(KEYS - REWRAP.keysPerWrite);
    const draft = await vault.draft(asId<UserId>('usr_9999'));
    await store.write((tx) => draft.keep(tx));
    await clock.runUntilIdle(60_000);
    expect([
      await rewrap.done,
      metrics.counts.get('data_keys_to_rewrap'),
      under(store, OLD),
      under(store, NEW),
    ]).toEqual([KEYS, 0, 0, KEYS + 1]);
    expect(log.lines.at(-1)).toEqual({
      level: 'info',
      event: 'keys.former_master_key_unused',
      fields: { rewrapped: KEYS },
    });
    expect(store.range(WALLET_KEYS).slice(0, USERS.length)).toEqual(walletsBefore);
    const alone = await openVault(store, NEW);
    await alone.load(last);
    await alone.load(first);
    expect(hexOf(alone.signDigest(first, DIGEST))).toBe(hexOf(signed));
  });

  it('goes on at the next start when it was killed between any two writes, and never loses a key', async () => {
    const cuts: MemoryStore[] = [fresh()];
    const store = fresh({
      onCommit: () => void cuts.push(store.crash(), store.crash({ keptCommits: 1 })),
    });
    await changeToTheEnd(store);
    expect(cuts.map((cut) => under(cut, OLD))).toEqual([
      KEYS,
      KEYS,
      KEYS - 64,
      KEYS - 64,
      KEYS - 128,
      KEYS - 128,
      0,
    ]);
    for (const cut of cuts) {
      const left = under(cut, OLD);
      if (left > 0)
        await expect(wholeRuntime(cut, NEW)).rejects.toMatchObject({ code: 'master_key_wrong' });
      expect(await wholeRuntime(cut, changing)).toBe(USERS.length);
      expect([await changeToTheEnd(cut), await wholeRuntime(cut, NEW)]).toEqual([
        left,
        USERS.length,
      ]);
    }
  });

  it('waits and tries again when the store cannot take a write, and stops when asked', async () => {
    let isFull = true;
    const store = fresh({
      beforeCommit: () => {
        if (isFull) throw new Error('no room');
      },
    });
    const { rewrap, clock, log } = await startChanging(store);
    await clock.advance(REWRAP.retryMs - 1);
    expect([under(store, NEW), log.lines.map(({ event }) => event)]).toEqual([
      0,
      ['keys.rewrap_failed'],
    ]);
    isFull = false;
    await clock.advance(1);
    expect(under(store, NEW)).toBe(REWRAP.keysPerWrite);
    await rewrap.stop();
    expect([await rewrap.done, clock.pending, under(store, NEW)]).toEqual([
      REWRAP.keysPerWrite,
      0,
      REWRAP.keysPerWrite,
    ]);
  });

  it('L12: leaves a damaged data key behind, by the name of its owner alone, and says that the old key is still used', async () => {
    const store = fresh();
    const victim = store.get(DATA_KEYS, ['usr_0003']);
    const wrapped = victim?.value.wrapped ?? '';
    await store.write(
      (tx) =>
        victim &&
        tx.put(DATA_KEYS, victim.key, {
          ...victim.value,
          wrapped: `${wrapped.slice(0, -6)}AAAAAA`,
        }),
    );
    const { rewrap, clock, log, metrics } = await startChanging(store);
    await clock.runUntilIdle(60_000);
    expect([
      await rewrap.done,
      under(store, OLD),
      metrics.counts.get('data_keys_to_rewrap'),
    ]).toEqual([KEYS - 1, 1, 1]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        event: 'keys.data_key_not_rewrapped',
        fields: { owner: 'usr_0003', code: 'store_corrupt' },
      },
      {
        level: 'error',
        event: 'keys.former_master_key_still_used',
        fields: { rewrapped: KEYS - 1, left: 1 },
      },
    ]);
  });
});

/** Opens every user's keys; gives how many. */
async function wholeRuntime(store: MemoryStore, encryptor: KeyEncryptor): Promise<number> {
  const vault = await openVault(store, encryptor);
  for (const userId of USERS) await vault.load(userId);
  return USERS.filter((userId) => vault.has(userId)).length;
}
