import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import { PAYMENTS } from '../../../src/services/transactions/tables.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import { asId, type TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionPurpose } from '../../../src/domain/transaction-purpose.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { paymentsTo } from '../../../src/services/transactions/payments.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { aUserId } from '../../support/builders.ts';

const WALLET = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const SEND: TransactionPurpose = {
  owner: 'send',
  kind: 'send',
  data: { token: null, symbol: 'ETH', decimals: 18, units: '1', to: WALLET, usdc: null },
};

it('finds payments of all users by whom they pay, in any case of an EVM address, until they have arrived or failed', async () => {
  const store = createMemoryStore();
  const made = [1, 2].map((user) =>
    newTransaction(
      store,
      {
        userId: aUserId(user),
        account: { chain: 'BASE', rail: 'evm', address: '0x1' },
        purpose: SEND,
        body: { kind: 'calls', calls: [] },
      },
      { transactionId: asId<TransactionId>(`txn_${user}`), nowMs: 1 },
    ),
  );
  await store.write((tx) => made.forEach((after) => putTransaction(tx, { before: null, after })));
  const count = (address: string, sinceMs = Infinity) => paymentsTo(store, [address], sinceMs);
  expect([count(WALLET), count(WALLET.toLowerCase()), count('0x1')]).toEqual([2, 2, 0]);
  const change = async (at: number, change: Partial<TransactionRecord>) => {
    const before = made[at];
    if (before === undefined) return expect.unreachable();
    const after = { ...before, ...change };
    made[at] = after;
    await store.write((tx) => putTransaction(tx, { before, after }));
  };
  await change(0, { state: 'mined', updatedAtMs: 2 });
  expect(count(WALLET)).toBe(2);
  await change(0, { state: 'done', updatedAtMs: 3 });
  expect([count(WALLET, 3), count(WALLET, 4)]).toEqual([2, 1]);
  await change(1, { state: 'failed', updatedAtMs: 4 });
  expect([count(WALLET, 3), count(WALLET, 4)]).toEqual([1, 0]);
  await change(0, { state: 'failed', updatedAtMs: 5 });
  expect(count(WALLET, 0)).toBe(0);
});

it('forgets what arrived long ago with the next to the same recipient', async () => {
  const store = createMemoryStore();
  await store.write((tx) =>
    tx.put(PAYMENTS, [WALLET.toLowerCase(), 'usr_1', 'txn_0'], { arrivedAtMs: 5 }),
  );
  const at = (nowMs: number) =>
    store.write((tx) =>
      putTransaction(tx, {
        before: null,
        after: newTransaction(
          tx,
          {
            userId: aUserId(1),
            account: { chain: 'BASE', rail: 'evm', address: '0x1' },
            purpose: SEND,
            body: { kind: 'calls', calls: [] },
          },
          { transactionId: asId<TransactionId>(`txn_${nowMs}`), nowMs },
        ),
      }),
    );
  await at(5 + TOKEN_TRANSFER.bridgeTellsMs);
  expect(store.range(PAYMENTS)).toHaveLength(2);
  await at(6 + TOKEN_TRANSFER.bridgeTellsMs);
  expect(store.range(PAYMENTS).map(({ value }) => value.arrivedAtMs)).toEqual([null, null]);
});

it('counts none between the own wallets of a user', async () => {
  const store = createMemoryStore();
  const data = { to: asId<never>(WALLET), usdc: usdcMicros(1), token: asId<never>('0x2') };
  const after = newTransaction(
    store,
    {
      userId: aUserId(1),
      account: { chain: 'POLYGON', rail: 'safe', address: '0x1' },
      purpose: { owner: 'safe', kind: 'withdraw', data },
      body: { kind: 'calls', calls: [] },
    },
    { transactionId: asId<TransactionId>('txn_1'), nowMs: 1 },
  );
  await store.write((tx) => putTransaction(tx, { before: null, after }));
  expect(paymentsTo(store, [WALLET], 0)).toBe(0);
});
