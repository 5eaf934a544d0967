import { describe, expect, it } from 'vitest';
import {
  createMemoryStore,
  type MemoryStore,
} from '../../../../src/adapters/memory/memory-store.ts';
import { openSignatureType } from '../../../../src/venues/venue-a/orders/order-account.ts';
import type { Table } from '../../../../src/ports/store.ts';

const USERS: Table<object> = { name: 'users' };

async function addUser(store: MemoryStore): Promise<void> {
  await store.write((tx) => tx.put(USERS, ['usr_ada'], {}));
}

describe('whose funds the orders of a store move', () => {
  it("is the Safe's in a fresh store, and what was asked for where something was", async () => {
    expect([
      await openSignatureType(createMemoryStore(), null),
      await openSignatureType(createMemoryStore(), 0),
      await openSignatureType(createMemoryStore(), 3),
    ]).toEqual([2, 0, 3]);
  });

  it('stays with the store once it has users, across a power failure, and another is refused', async () => {
    const store = createMemoryStore();
    await openSignatureType(store, 3);
    await addUser(store);
    const after = store.crash();
    await addUser(after);
    expect(await openSignatureType(after, null)).toBe(3);
    await expect(openSignatureType(after, 2)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('signature type 3, PREDICTD_SIGNATURE_TYPE asks for 2'),
    });
  });

  it('may change while there is no user', async () => {
    const store = createMemoryStore();
    await openSignatureType(store, 0);
    expect(await openSignatureType(store, 2)).toBe(2);
  });

  it("is the key's own account in a store from before there was a choice", async () => {
    const store = createMemoryStore();
    await addUser(store);
    expect([await openSignatureType(store, null), await openSignatureType(store, 0)]).toEqual([
      0, 0,
    ]);
    await expect(openSignatureType(store, 2)).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
