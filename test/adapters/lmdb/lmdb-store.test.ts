import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, it } from 'vitest';
import { openEnvironment } from '../../../src/adapters/lmdb/environment.ts';
import { STORE } from '../../../config/limits/store.ts';
import { MISSED_EVENTS } from '../../../config/limits/missed-events.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { paperTable } from '../../../src/services/books/tables.ts';
import { RECORD_OWNERS } from '../../../src/services/record-owners.ts';
import { VENUES } from '../../../src/venues/table.ts';
import type { Store, Table } from '../../../src/ports/store.ts';
import { describeStore } from '../../contracts/store.ts';

/**
 * With the log of the product, where a test never fills a file; and with files that every commit
 * fills, so that LMDB is always catching up.
 */
const LOGS: readonly (readonly [string, { readonly logBytes?: number }])[] = [
  ['LMDB', {}],
  ['LMDB behind a log that is always full', { logBytes: 256 }],
];

for (const [name, log] of LOGS) {
  describeStore(name, async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
    const store = await openLmdbStore({ path, ...log });
    const opened = [store];
    return {
      store,
      async restart() {
        await store.close();
        const again = await openLmdbStore({ path, ...log });
        opened.push(again);
        return again;
      },
      async end() {
        for (const each of opened) await each.close();
        rmSync(path, { recursive: true });
      },
    };
  });
}

it('a record that lived shortly is gone for good, in LMDB and in the log alike', async () => {
  const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
  const marks: Table<number> = { name: 'marks' };
  const keysIn = (store: Store) => store.range(marks).map(({ key }) => key[0]);
  const first = await openLmdbStore({ path });
  await first.write((tx) => ['kept', 'known'].forEach((key, index) => tx.put(marks, [key], index)));
  await first.close();
  const second = await openLmdbStore({ path, logBytes: 600 });
  for (let round = 0; round < 20; round += 1) {
    await second.write((tx) => tx.put(marks, ['short'], round));
    expect(keysIn(second)).toEqual(round === 0 ? ['kept', 'known', 'short'] : ['kept', 'short']);
    await second.write((tx) => ['short', 'known'].forEach((key) => tx.remove(marks, [key])));
    expect([keysIn(second), second.get(marks, ['short'])]).toEqual([['kept'], null]);
  }
  await second.close();
  const third = await openLmdbStore({ path });
  expect(keysIn(third)).toEqual(['kept']);
  await third.close();
  rmSync(path, { recursive: true });
});

/** Commits that LMDB has made in a folder. */
async function commitsIn(path: string): Promise<number> {
  const root = open({ path, noSubdir: false, readOnly: true });
  // Of the environment: what `getStats` gives beside it is of one database.
  const { lastTxnId } = root.getStats() as { readonly lastTxnId: number };
  await root.close();
  return lastTxnId;
}

it('has room for every table of the service, twice with those of paper trading, and for as many more', async () => {
  const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
  const tables = [
    ...Object.keys(RECORD_OWNERS),
    ...VENUES.flatMap((row) => Object.keys(row.tables ?? {})),
  ].map((name): Table<string> => ({ name }));
  const names = [...tables, ...tables.map(paperTable)].map(({ name }) => name);
  const later = names.slice(0, STORE.tablesMaximum - names.length - 8).map((name) => `new.${name}`);
  expect(later.length).toBeGreaterThan(names.length * 0.8);
  const store = await openLmdbStore({ path });
  for (const name of [...names, ...later])
    await store.write((tx) => tx.put({ name }, ['key'], name));
  await store.close();
  const again = await openLmdbStore({ path });
  expect(
    [...names, ...later].filter((name) => again.get({ name }, ['key'])?.value !== name),
  ).toEqual([]);
  await again.close();
  rmSync(path, { recursive: true });
});

it('takes in what many new tables hold in one commit', async () => {
  const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
  const names = Array.from({ length: 40 }, (_, index) => `table${index}`);
  await (await openLmdbStore({ path })).close();
  const empty = await commitsIn(path);
  const store = await openLmdbStore({ path });
  for (const name of names) await store.write((tx) => tx.put({ name }, ['key'], name));
  await store.close();
  expect((await commitsIn(path)) - empty).toBe(1);
  const again = await openLmdbStore({ path });
  expect(names.map((name) => again.get({ name }, ['key'])?.value)).toEqual(names);
  await again.close();
  rmSync(path, { recursive: true });
});

it('makes no table in a commit that fails, and mixes it up with none that is made later', async () => {
  const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
  const { tables, close } = await openEnvironment(path);
  const put = (...records: readonly (readonly [table: string, key: string])[]): void =>
    tables.write({
      facts: [],
      records: records.map(([table, key]) => [table, { key: [key], version: 1, value: table }]),
      links: [],
      applied: tables.applied(),
    });
  const keysOf = (table: string): readonly unknown[] =>
    [...tables.iterate(table, {})].map(({ key, value }) => [...key, value]);
  expect(() => put(['one', 'lost'], ['one', 'longer than any key'.repeat(200)])).toThrow();
  expect(keysOf('one')).toEqual([]);
  put(['two', 'kept']);
  put(['one', 'kept'], ['three', 'kept']);
  expect(['one', 'two', 'three'].map(keysOf)).toEqual([
    [['kept', 'one']],
    [['kept', 'two']],
    [['kept', 'three']],
  ]);
  await close();
  rmSync(path, { recursive: true });
});

describe('facts by who reads them', () => {
  const reader = asId<UserId>('usr_a');
  const fact = (atMs: number): DomainEvent => ({
    type: 'notifications.read',
    userId: reader,
    atMs,
    upTo: 1,
    unread: 0,
  });
  const factsIn = (store: Store) => {
    const { entries, forgottenUpTo } = store.readFacts(reader, 0, 100);
    return [entries.map(({ seq }) => seq), forgottenUpTo];
  };

  it('are forgotten when they are older than is kept, and that is said', async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
    const first = await openLmdbStore({ path });
    await first.write((tx) => [1, 2, 3].forEach((atMs) => tx.append(fact(atMs))));
    await first.close();
    const second = await openLmdbStore({ path });
    expect(factsIn(second)).toEqual([[1, 2, 3], 0]);
    await second.write((tx) => tx.append(fact(3 + MISSED_EVENTS.keptMs)));
    await second.close();
    const third = await openLmdbStore({ path });
    expect(factsIn(third)).toEqual([[3, 4], 2]);
    await third.close();
    rmSync(path, { recursive: true });
  });

  it('are found again when LMDB is made anew from the log', async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
    const first = await openLmdbStore({ path });
    for (const atMs of [1, 2]) await first.write((tx) => tx.append(fact(atMs)));
    await first.close();
    rmSync(join(path, 'data.mdb'));
    const second = await openLmdbStore({ path });
    expect(factsIn(second)).toEqual([[1, 2], 0]);
    await second.close();
    rmSync(path, { recursive: true });
  });

  it('of a store from before there was an index are reported as forgotten', async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
    const first = await openLmdbStore({ path });
    await first.write((tx) => tx.append(fact(1)));
    await first.close();
    const root = open({ path, noSubdir: false, maxDbs: 16 });
    await root.openDB({ name: 'facts', encoding: 'string' }).drop();
    await root.openDB({ name: 'facts.order' }).drop();
    await root.openDB({ name: 'meta' }).remove('facts.forgotten');
    await root.close();
    const second = await openLmdbStore({ path });
    expect(factsIn(second)).toEqual([[], 1]);
    await second.write((tx) => tx.append(fact(2)));
    await second.close();
    const third = await openLmdbStore({ path });
    expect(factsIn(third)).toEqual([[2], 1]);
    await third.close();
    rmSync(path, { recursive: true });
  });
});
