import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { storedAccounts } from '../../../src/services/books/stored-accounts.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';
import { aUserId } from '../../support/builders.ts';

it('every account anything was posted to is read with its owner, its asset and its balance', async () => {
  const store = createMemoryStore();
  const balance = { settled: 7, provisional: 2 };
  await store.write((tx) => tx.put(BALANCES, [aUserId(1), 'usdc:safe'], balance));
  expect(storedAccounts(store)).toEqual([{ owner: aUserId(1), asset: 'usdc:safe', balance }]);
});
