import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { RecalledRecords } from '../../../src/adapters/lmdb/recalled-records.ts';
import type { Table, Versioned } from '../../../src/ports/store.ts';

const NOTES: Table<{ readonly text: string }> = { name: 'notes' };
const record = (text: string): Versioned<unknown> => ({ key: [text], value: text, version: 1 });

describe('records as LMDB gave them last', () => {
  it('tells a record, a missing one and one that was never asked for apart', () => {
    const recalled = new RecalledRecords(8);
    recalled.keep('notes', ['a'], record('a'));
    recalled.keep('notes', ['b'], null);
    expect([recalled.get('notes', ['a']), recalled.get('notes', ['b']), recalled.get('notes', ['c'])]).toEqual([record('a'), null, undefined]);
  });

  it('mixes up neither tables, nor numbers and their texts, nor keys that read alike when joined', () => {
    const recalled = new RecalledRecords(8);
    recalled.keep('notes', ['a', 1], record('number'));
    expect(recalled.get('other', ['a', 1])).toBeUndefined();
    expect(recalled.get('notes', ['a', '1'])).toBeUndefined();
    expect(recalled.get('notes', ['a#1'])).toBeUndefined();
    expect(recalled.get('notes', ['a'])).toBeUndefined();
  });

  it('keeps what is asked for again, and no more than its bound', () => {
    const recalled = new RecalledRecords(4);
    recalled.keep('notes', ['often'], record('often'));
    for (let index = 0; index < 100; index += 1) {
      recalled.keep('notes', [index], record(String(index)));
      expect(recalled.get('notes', ['often'])).toEqual(record('often'));
    }
    const kept = Array.from({ length: 100 }, (_, index) => recalled.get('notes', [index])).filter((found) => found !== undefined);
    expect(kept.length).toBeLessThanOrEqual(4);
  });

  it('forgets what is written, in both generations', () => {
    const recalled = new RecalledRecords(2);
    recalled.keep('notes', ['old'], record('old'));
    recalled.keep('notes', ['young'], record('young'));
    for (const name of ['old', 'young']) recalled.forget('notes', [name]);
    expect([recalled.get('notes', ['old']), recalled.get('notes', ['young'])]).toEqual([undefined, undefined]);
  });
});

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
      expect(store.get(NOTES, ['kept'])).toEqual({ key: ['kept'], value: { text: String(round) }, version: round });
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
