import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { RecalledRanges } from '../../../src/adapters/lmdb/recalled-ranges.ts';
import type { Table, Versioned } from '../../../src/ports/store.ts';

const NOTES: Table<{ readonly text: string }> = { name: 'notes' };
const record = (text: string): Versioned<unknown> => ({ key: [text], value: text, version: 1 });

describe('ranges as LMDB gave them last', () => {
  it('tells an empty range and one that was never asked for apart, and mixes up neither tables nor prefixes', () => {
    const recalled = new RecalledRanges(8);
    recalled.keep('notes', ['a'], []);
    recalled.keep('notes', ['b'], [record('b')]);
    expect([
      recalled.get('notes', ['a']),
      recalled.get('notes', ['b']),
      recalled.get('notes', ['c']),
      recalled.get('other', ['a']),
    ]).toEqual([[], [record('b')], undefined, undefined]);
  });

  it('knows none of a table that was written since, and those of the others', () => {
    const recalled = new RecalledRanges(8);
    recalled.keep('notes', ['a'], [record('a')]);
    recalled.keep('other', ['a'], [record('a')]);
    recalled.outdate('notes');
    expect([recalled.get('notes', ['a']), recalled.get('other', ['a'])]).toEqual([
      undefined,
      [record('a')],
    ]);
  });
});

describe('a store that recalls the ranges it read', () => {
  it('gives all records of a range, few or many, over any number of changes, catch-ups and starts', async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-ranges-'));
    const many = STORE.rangeRecalledRecords + 3;
    for (let life = 0; life < 3; life += 1) {
      // Every change fills a file of the log, so that LMDB catches up with each.
      const store = await openLmdbStore({ path, logBytes: 64 });
      for (let count = life === 0 ? 0 : many; count <= many; count += 1) {
        expect(store.range(NOTES, { prefix: ['of'] }).map(({ key }) => key[1])).toEqual(
          Array.from({ length: count }, (_, index) => index),
        );
        await store.write((tx) => tx.put(NOTES, ['of', count], { text: String(count) }));
      }
      await store.write((tx) => tx.remove(NOTES, ['of', many]));
      await store.close();
    }
    rmSync(path, { recursive: true });
  });
});
