import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import type { TransactionPurpose } from '../../../src/domain/transaction-purpose.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import {
  progressOf,
  requestTransaction,
  transactionViews,
} from '../../../src/services/transactions/transaction-requests.ts';
import { aUserId } from '../../support/builders.ts';

const USER = aUserId(1);
const DEPLOY = { owner: 'safe', kind: 'deploy', data: {} } as const;
const ALLOW = { owner: 'safe', kind: 'allowances', data: { set: 'a' } } as const;

async function stored(store: ReturnType<typeof createMemoryStore>, purpose: TransactionPurpose) {
  const transactionId = asId<TransactionId>(`txn_${purpose.kind}`);
  const account = { chain: 'POLYGON', rail: 'safe', address: `0x${'ad'.repeat(20)}` } as const;
  return store.write((tx) => {
    const body = { kind: 'calls', calls: [] } as const;
    const draft = { userId: USER, account, purpose, body };
    const after = newTransaction(tx, draft, { transactionId, nowMs: 1 });
    putTransaction(tx, { before: null, after });
    return after;
  });
}

it('a key gives the transaction that was made under it, is refused for another purpose, and none is made then', async () => {
  const store = createMemoryStore();
  const first = await stored(store, DEPLOY);
  const woken: string[] = [];
  let made = 0;
  const transactions = {
    find: (_userId: string, key: string | undefined) => (key === 'k' ? first : null),
    wake: (userId: string) => void woken.push(userId),
    settled: (record: TransactionRecord) => Promise.resolve(record),
  };
  const ask = (kind: 'deploy' | 'allowances', key?: string) =>
    requestTransaction(transactions, USER, { kind, key, waitMs: 1 }, async () => {
      made += 1;
      return stored(store, ALLOW);
    });
  expect((await ask('deploy', 'k')).transactionId).toBe('txn_deploy');
  await expect(ask('allowances', 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  expect([made, woken]).toEqual([0, [USER]]);
  expect((await ask('allowances', 'other')).transactionId).toBe('txn_allowances');
  expect((await ask('allowances')).transactionId).toBe('txn_allowances');
  expect([made, woken.length]).toEqual([2, 3]);
});

it('a view shows the transactions of its own purpose and user alone, and how far each has come', async () => {
  const store = createMemoryStore();
  const [deploy, allow] = [await stored(store, DEPLOY), await stored(store, ALLOW)];
  const views = transactionViews(store, 'deploy', ({ transactionId }) => transactionId);
  expect(views.get(USER, deploy.transactionId)).toBe('txn_deploy');
  expect(views.get(USER, allow.transactionId)).toBeNull();
  expect(views.get(aUserId(2), deploy.transactionId)).toBeNull();
  expect(views.list(USER, { limit: 9, cursor: null }).data).toEqual(['txn_deploy']);
  const bound = { kind: 'nonce', nonce: 1 } as const;
  const attempt = { id: '0x1', bytes: '', bound, signedAtMs: 1, isCancel: false };
  const sent = { ...deploy, attempts: [attempt] } as unknown as TransactionRecord;
  expect(
    [
      deploy,
      sent,
      { ...sent, state: 'done' } as const,
      { ...deploy, state: 'failed' } as const,
    ].map((record) => progressOf(record).state),
  ).toEqual(['queued', 'sent', 'settled', 'failed']);
});
