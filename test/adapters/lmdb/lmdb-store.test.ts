import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { Store, Table } from '../../../src/ports/store.ts';
import { describeStore } from '../../contracts/store.ts';

/** With the log of the product, where a test never fills a file; and with files that every commit fills, so that LMDB is always catching up. */
const LOGS: readonly (readonly [string, { readonly logBytes?: number }])[] = [['LMDB', {}], ['LMDB behind a log that is always full', { logBytes: 256 }]];

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
