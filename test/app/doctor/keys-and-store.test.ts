import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment, type Environment } from '../../../config/schema.ts';
import { createLocalEncryptor, masterKeyIdOf } from '../../../src/adapters/keys/local-encryptor.ts';
import { openKeyVault } from '../../../src/adapters/keys/key-vault.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { keyChecks } from '../../../src/app/doctor/key-checks.ts';
import { storeChecks, type StoreParts } from '../../../src/app/doctor/store-checks.ts';
import { readStoreFacts, type StoreFacts } from '../../../src/app/doctor/store-facts.ts';
import { found, levelsOf } from './found.ts';

const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);
const HOUR_MS = 3_600_000;
const random = createSeededRandom('doctor');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A store in which a start with this key has sealed the service's data key. */
async function sealedBy(key: string): Promise<void> {
  const store = await openLmdbStore({ path: join(folder, 'store') });
  const encryptor = createLocalEncryptor(Buffer.from(key, 'hex'), random);
  await openKeyVault({ store, encryptor, random, keccak: await loadKeccak() });
  await store.write((tx) => tx.append({ type: 'all_trading.resumed', atMs: 1, reason: 'a fact' }));
  await store.close();
}

const keysWith = (settings: Readonly<Record<string, string>>, data = folder) => {
  const environment: Environment = readEnvironment(settings);
  return keyChecks({ folder: data, environment, random, readStore: () => readStoreFacts(data) });
};

describe('the master key', () => {
  it('is shown by its fingerprint, and opens what the store has sealed', async () => {
    await sealedBy(KEY);
    const checks = keysWith({ PREDICTD_MASTER_KEY: KEY });
    const given = await found(checks, 'master key');
    expect([given.level, given.sentence.includes(masterKeyIdOf(Buffer.from(KEY, 'hex')))]).toEqual([
      'ok',
      true,
    ]);
    expect(given.sentence).not.toContain(KEY);
    expect(await found(checks, 'sealed keys')).toEqual({
      level: 'ok',
      sentence: "the key opens the service's data key, and 1 data keys are under it",
    });
  });

  it('of another store is refused by name, and keys that are still under the former one are a warning', async () => {
    await sealedBy(KEY);
    const wrong = keysWith({ PREDICTD_MASTER_KEY: OTHER_KEY });
    await expect(found(wrong, 'sealed keys')).rejects.toMatchObject({ code: 'master_key_wrong' });
    const changing = { PREDICTD_MASTER_KEY: OTHER_KEY, PREDICTD_MASTER_KEY_OLD: KEY };
    expect(await found(keysWith(changing), 'sealed keys')).toMatchObject({
      level: 'warn',
      sentence: '1 of 1 data keys are under the former master key',
    });
  });

  it('in a file that others may read, or that holds something else, is refused', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, KEY);
    chmodSync(file, 0o644);
    const checks = keysWith({ PREDICTD_MASTER_KEY_FILE: file });
    await expect(found(checks, 'master key')).rejects.toThrow(/open to others \(mode 644\)/);
    chmodSync(file, 0o400);
    expect(await found(checks, 'master key')).toMatchObject({ level: 'ok' });
    rmSync(file);
    writeFileSync(file, 'no key', { mode: 0o600 });
    await expect(found(checks, 'master key')).rejects.toThrow(/is not 64 hex digits/);
  });

  it('is not made by looking for it', async () => {
    expect(await levelsOf(keysWith({}))).toEqual({ 'master key': 'ok', 'sealed keys': 'skipped' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that is missing where keys are sealed is a failure', async () => {
    await sealedBy(KEY);
    expect(await found(keysWith({}), 'sealed keys')).toMatchObject({ level: 'fail' });
  });
});

const FACTS: StoreFacts = {
  lastEntry: 9,
  lastCommit: 7,
  inLmdb: 7,
  anchor: { seq: 9, hash: 'aa'.repeat(32) },
  isCut: false,
  wrappedUnder: new Map(),
  serviceKey: null,
};
const NOW = 1_800_000_000_000;

const storeOf = (facts: Partial<StoreFacts> | null, parts: Partial<StoreParts> = {}) =>
  storeChecks({
    read: async () => (facts === null ? null : { ...FACTS, ...facts }),
    upkeep: { backupAtMs: NOW - HOUR_MS, backupFailures: 0, verifiedAtMs: NOW - HOUR_MS },
    isInUse: false,
    isMoneyReal: true,
    nowMs: NOW,
    ...parts,
  });

describe('the store', () => {
  it('is read beside the process that writes it, and takes no lock', async () => {
    const store = await openLmdbStore({ path: join(folder, 'store') });
    for (const atMs of [1, 2, 3])
      await store.write((tx) => tx.append({ type: 'all_trading.resumed', atMs, reason: 'a fact' }));
    const before = await readStoreFacts(folder);
    expect(before).toMatchObject({ lastEntry: 3, isCut: false, serviceKey: null });
    await store.write((tx) => tx.append({ type: 'all_trading.resumed', atMs: 4, reason: 'more' }));
    expect(await readStoreFacts(folder)).toMatchObject({ lastEntry: 4 });
    await store.close();
    expect(await readStoreFacts(folder)).toMatchObject({ lastEntry: 4, inLmdb: 4, lastCommit: 4 });
  });

  it('whose log has bytes and no commit is not one in which nothing was stored', async () => {
    mkdirSync(join(folder, 'store', 'journal'), { recursive: true });
    writeFileSync(join(folder, 'store', 'journal', 'segment.1.log'), random.bytes(200_000));
    await expect(readStoreFacts(folder)).rejects.toMatchObject({ code: 'store_corrupt' });
  });

  it('that was never made, or never written to, has nothing to be checked', async () => {
    expect(await readStoreFacts(folder)).toBeNull();
    mkdirSync(join(folder, 'store', 'journal'), { recursive: true });
    expect(await readStoreFacts(folder)).toBeNull();
    expect(new Set(Object.values(await levelsOf(storeOf(null))))).toEqual(new Set(['skipped']));
  });

  it('is well where log, head and LMDB agree and a copy is young', async () => {
    expect(await levelsOf(storeOf({}))).toEqual({
      journal: 'ok',
      'last commit': 'ok',
      LMDB: 'ok',
      'last backup': 'ok',
      'last verification': 'ok',
    });
  });

  it.each<readonly [string, Partial<StoreFacts>, string, RegExp]>([
    ['journal', { anchor: 'damaged' }, 'fail', /journal\.head is damaged/],
    [
      'journal',
      { anchor: { seq: 10, hash: 'aa' } },
      'fail',
      /ends at entry 9, .* to 10: it was cut/,
    ],
    ['journal', { anchor: null }, 'ok', /notes none of them yet/],
    ['last commit', { isCut: true }, 'ok', /half of one behind it, never acknowledged/],
    ['LMDB', { inLmdb: 4 }, 'ok', /3 commits behind the log/],
    ['LMDB', { inLmdb: 8 }, 'fail', /the log was cut/],
  ])('%s: %j is %s', async (name, facts, level, sentence) => {
    expect(await found(storeOf(facts), name)).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('wants a copy of real money that is younger than a day', async () => {
    const copied = (backupAtMs: number, isMoneyReal = true) =>
      found(
        storeOf({}, { isMoneyReal, upkeep: { backupAtMs, backupFailures: 0, verifiedAtMs: 0 } }),
        'last backup',
      );
    expect(await copied(NOW - 23 * HOUR_MS)).toMatchObject({ level: 'ok' });
    expect(await copied(NOW - 72 * HOUR_MS)).toMatchObject({
      level: 'warn',
      sentence: 'the newest copy was whole 3 days ago',
    });
    expect(await copied(0)).toMatchObject({ level: 'warn' });
    expect(await copied(0, false)).toMatchObject({ level: 'skipped' });
  });
});
