import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TransactionId } from '../../../src/domain/ids.ts';
import { gasOfTransactions } from '../../../src/services/transactions/gas-of.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { aUserId } from '../../support/builders.ts';

const USER = aUserId(1);
const idOf = (name: string) => asId<TransactionId>(`txn_${name}`);

it('gas of a swap is that of its approval and its own, failed or not, and nothing while none is over', async () => {
  const store = createMemoryStore();
  const put = (name: string, fee?: string) =>
    store.write((tx) => {
      const made = newTransaction(
        tx,
        {
          userId: USER,
          account: { chain: 'BASE', rail: 'evm', address: `0x${'ad'.repeat(20)}` },
          purpose: { owner: 'safe', kind: 'deploy', data: {} },
          body: { kind: 'calls', calls: [] },
        },
        { transactionId: idOf(name), nowMs: 1 },
      );
      putTransaction(tx, { before: null, after: made });
      if (fee !== undefined)
        putTransaction(tx, { before: made, after: { ...made, state: 'failed', fee } });
    });
  await put('approval', '70000000000000');
  await put('swap', '140000000000000');
  await put('waits');
  const gasOf = (userId: typeof USER, ...names: readonly string[]) =>
    gasOfTransactions(store, userId, names.map(idOf));
  expect(gasOf(USER, 'approval', 'swap')).toEqual({ chain: 'BASE', units: '210000000000000' });
  expect(gasOf(USER, 'approval', 'waits')).toEqual({ chain: 'BASE', units: '70000000000000' });
  expect([gasOf(USER, 'waits'), gasOf(USER, 'unknown'), gasOf(aUserId(2), 'swap')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
