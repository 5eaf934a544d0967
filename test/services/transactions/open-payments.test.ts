import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionPurpose } from '../../../src/domain/transaction-purpose.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { openPaymentsTo } from '../../../src/services/transactions/open-payments.ts';
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

it('finds payments of all users by whom they pay, in any case of an EVM address, until they end', async () => {
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
  const count = (...addresses: string[]) => openPaymentsTo(store, addresses);
  expect([count(WALLET), count(WALLET.toLowerCase()), count('0x1', '0x2')]).toEqual([2, 2, 0]);
  const [before] = made;
  if (before === undefined) return expect.unreachable();
  const mined = { ...before, state: 'mined' } as const;
  await store.write((tx) => putTransaction(tx, { before, after: mined }));
  expect(count(WALLET)).toBe(2);
  const after = { ...mined, state: 'done' } as const;
  await store.write((tx) => putTransaction(tx, { before: mined, after }));
  expect(count(WALLET)).toBe(1);
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
  expect(openPaymentsTo(store, [WALLET])).toBe(0);
});
