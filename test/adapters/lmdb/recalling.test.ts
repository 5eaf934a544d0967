import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { Table } from '../../../src/ports/store.ts';

const NOTES: Table<{ readonly text: string }> = { name: 'notes' };

describe('a store that recalls what it read', () => {
  it('gives the newest record over any number of changes and catch-ups, and none that was taken out', async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-recalled-'));
    // Every change fills a file of the log, so that LMDB catches up with each.
    const store = await openLmdbStore({ path, logBytes: 64 });
    for (let round = 1; round <= 40; round += 1) {
      expect(store.get(NOTES, ['gone'])?.value).toEqual(undefined);
      await store.write((tx) => {
        tx.put(NOTES, ['kept'], { text: String(round) });
        tx.put(NOTES, ['gone'], { text: String(round) });
      });
      expect(store.get(NOTES, ['kept'])).toEqual({
        key: ['kept'],
        value: { text: String(round) },
        version: round,
      });
      await store.write((tx) => tx.remove(NOTES, ['gone']));
    }
    await store.close();
    const again = await openLmdbStore({ path });
    expect(again.get(NOTES, ['kept'])).toMatchObject({ value: { text: '40' }, version: 40 });
    expect(Object.isFrozen(again.get(NOTES, ['kept'])?.value)).toBe(true);
    await again.close();
    rmSync(path, { recursive: true });
  });
});
