import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { describeStore } from '../../contracts/store.ts';

describeStore('LMDB', async () => {
  const path = mkdtempSync(join(tmpdir(), 'predictd-store-'));
  const store = await openLmdbStore({ path });
  const opened = [store];
  return {
    store,
    async restart() {
      await store.close();
      const again = await openLmdbStore({ path });
      opened.push(again);
      return again;
    },
    async end() {
      for (const each of opened) await each.close();
      rmSync(path, { recursive: true });
    },
  };
});
