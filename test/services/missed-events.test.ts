import { beforeEach, describe, expect, it } from 'vitest';

import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { RESTORES } from '../../src/services/books/tables.ts';
import { CURSOR, createMissedEvents } from '../../src/services/missed-events.ts';
import { aUserId, T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';

const userId = aUserId('ada');
let store: MemoryStore;

const missed = () => createMissedEvents({ store, bus: createKeptBus() });
const happens = () =>
  store.write((tx) =>
    tx.append({ type: 'notifications.read', userId, atMs: T0, upTo: 1, unread: 0 }),
  );
const restored = (journalName: string) =>
  store.write((tx) =>
    tx.put(RESTORES, ['newest'], { upToMs: T0, madeAtMs: T0, adoptedAtMs: null, journalName }),
  );
const read = (since: string) =>
  missed().read(userId, { since, topics: ['notifications'], limit: 10 }).kind;

beforeEach(async () => {
  store = createMemoryStore();
  await happens();
  await happens();
});

describe('a cursor', () => {
  it('is good over restarts', () => {
    const cursor = missed().cursorOf(1);
    expect(cursor).toMatch(CURSOR);
    expect(read(cursor)).toBe('events');
  });

  it('of before a restore is too old after it: other entries may have its numbers', async () => {
    const before = missed().cursorOf(1);
    await restored('00c0ffee');
    const after = missed().cursorOf(1);
    expect([read(before), read(after), after]).toEqual(['too_old', 'events', '00c0ffee.1']);
    await restored('0badcafe');
    expect(read(after)).toBe('too_old');
  });
});
