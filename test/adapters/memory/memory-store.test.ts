import { describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Table } from '../../../src/ports/store.ts';
import { describeStore } from '../../contracts/store.ts';

const TABLE: Table<string> = { name: 'table' };

describeStore('memory', async () => {
  const store = createMemoryStore();
  return { store, restart: async () => store.crash(), end: async () => store.close() };
});

describe('a power failure', () => {
  const put = (store: MemoryStore, key: string) =>
    store.write((tx) => {
      tx.put(TABLE, [key], key);
      // only stored and counted
      tx.append({ type: 'market.resolved', atMs: 0, marketId: key, resolution: {} } as never);
    });
  const keysOf = (store: MemoryStore) => store.range(TABLE).map(({ value }) => value);

  it('loses what was committed and not flushed, records and facts alike', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    await store.flushed();
    await put(store, 'b');
    await put(store, 'c');
    const left = store.crash();
    expect(keysOf(left)).toEqual(['a']);
    expect(left.readJournal(0, 10)).toHaveLength(1);
    expect([store.commits, store.durableCommits]).toEqual([3, 1]);
  });

  it.each([
    ['what was flushed', 0, ['a']],
    ['what was committed', 2, ['a', 'b']],
  ] as const)(
    'leaves nothing of the change it strikes in, and of those before %s',
    async (_what, keptCommits, kept) => {
      const cut = { left: null as MemoryStore | null };
      const store: MemoryStore = createMemoryStore({
        beforeCommit: () => void (store.commits === 2 && (cut.left = store.crash({ keptCommits }))),
      });
      await put(store, 'a');
      await store.flushed();
      await put(store, 'b');
      await put(store, 'c');
      const { left } = cut;
      expect(left === null ? null : [keysOf(left), left.readJournal(0, 10).length]).toEqual([
        kept,
        kept.length,
      ]);
    },
  );

  it('may find the disk further than it was asked to be', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    await put(store, 'b');
    await put(store, 'c');
    expect(keysOf(store.crash({ keptCommits: 2 }))).toEqual(['a', 'b']);
  });

  it('brings back overwritten and removed records', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    await store.flushed();
    await store.write((tx) => tx.put(TABLE, ['a'], 'changed'));
    await store.write((tx) => tx.remove(TABLE, ['a']));
    expect(store.crash().get(TABLE, ['a'])).toEqual({ key: ['a'], value: 'a', version: 1 });
  });

  it('strikes while flushed has not yet resolved', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    const flushed = store.flushed();
    expect(keysOf(store.crash())).toEqual([]);
    await flushed;
    expect(keysOf(store.crash())).toEqual(['a']);
  });

  it('makes durable only what was committed before flushed was called', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    const [flushed, written] = [store.flushed(), put(store, 'b')];
    await Promise.all([flushed, written]);
    expect(keysOf(store.crash())).toEqual(['a']);
  });

  it('leaves two stores that know nothing of each other', async () => {
    const store = createMemoryStore();
    await put(store, 'a');
    await store.flushed();
    const left = store.crash();
    await put(store, 'old');
    await put(left, 'new');
    expect([keysOf(store), keysOf(left)]).toEqual([
      ['a', 'old'],
      ['a', 'new'],
    ]);
  });
});

it('undoes the change and says store_unavailable when the commit fails', async () => {
  let isFull = true;
  const store = createMemoryStore({
    beforeCommit: () => {
      if (isFull) throw new Error('disk full');
    },
  });
  await expect(store.write((tx) => tx.put(TABLE, ['a'], 'a'))).rejects.toMatchObject({
    code: 'store_unavailable',
    retryable: true,
  });
  expect(store.get(TABLE, ['a'])).toBeNull();
  isFull = false;
  await store.write((tx) => tx.put(TABLE, ['a'], 'a'));
  expect(store.get(TABLE, ['a'])?.version).toBe(1);
});

it('tells of each commit and each flush', async () => {
  const reported: string[] = [];
  const store = createMemoryStore({
    onCommit: () => reported.push('commit'),
    onFlush: () => reported.push('flush'),
  });
  await store.write((tx) => tx.put(TABLE, ['a'], 'a'));
  await store.flushed();
  expect(reported).toEqual(['commit', 'flush']);
});
