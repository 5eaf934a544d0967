import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { Table } from '../../src/ports/store.ts';
import { newestPage, pageAfter } from '../../src/services/newest-page.ts';
import { aUserId } from '../support/builders.ts';

const ROWS: Table<number> = { name: 'rows' };
const TIMED: Table<number> = { name: 'timed_rows' };
const USER = aUserId(1);

it('a list is given newest first, page by page, and each of its cursors is an id of its own user', async () => {
  const store = createMemoryStore();
  await store.write((tx) => {
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      tx.put(ROWS, [USER, id], index);
      tx.put(TIMED, [USER, 10 - index, id], index);
    }
    tx.put(ROWS, [aUserId(2), 'z'], 26);
  });
  const page = (cursor: string | null) => newestPage(store, ROWS, USER, { limit: 2, cursor });
  expect(page(null)).toEqual({ data: [2, 1], nextCursor: 'b' });
  expect(page('b')).toEqual({ data: [0], nextCursor: null });
  expect(newestPage(store, ROWS, USER, { limit: 3, cursor: null }).nextCursor).toBeNull();
  expect(() => page('z')).toThrow('cursor: not a cursor of this list');
  expect(pageAfter(store, TIMED, USER, { limit: 1, after: [USER, 10, 'a'] })).toEqual({
    data: [1],
    nextCursor: 'b',
  });
});
