import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
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
