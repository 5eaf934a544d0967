import { expect, it } from 'vitest';
import { createMemoryBus } from '../../../src/adapters/bus/memory-bus.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TransactionRecord, TransactionState } from '../../../src/domain/transaction.ts';
import { OPEN_TRANSACTIONS, TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { followTransactionFigures } from '../../../src/services/transactions/transaction-figures.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptLog } from '../../support/quiet.ts';

const USER = aUserId(1);

// of a record only these parts are looked at
const aRecord = (id: string, kind: string, state: TransactionState) =>
  ({
    transactionId: asId(id),
    userId: USER,
    state,
    purpose: { kind },
  }) as unknown as TransactionRecord;

it('transactions are counted by what they are for, with the age of the oldest, from the start on', async () => {
  const [store, clock] = [createMemoryStore(), createVirtualClock(T0)];
  const [bus, metrics] = [createMemoryBus({ log: createKeptLog() }), createCountingMetrics()];
  const figures = followTransactionFigures({ store, bus, clock, metrics });
  const redeemed = aRecord('txn_1', 'redeem', 'submitted');
  await store.write((tx) => {
    tx.put(TRANSACTIONS, [USER, 'txn_1'], redeemed);
    tx.put(OPEN_TRANSACTIONS, [USER, 'POLYGON', 'safe', '0x1', 1, 'txn_1'], { sinceMs: T0 });
  });
  figures.recover();
  await clock.advance(60_000);
  const tell = (transaction: TransactionRecord) =>
    bus.publish([
      {
        seq: 1,
        event: {
          type: 'transaction.changed',
          userId: USER,
          atMs: clock.nowMs(),
          from: null,
          transaction,
        },
      },
    ]);
  tell(aRecord('txn_2', 'withdraw', 'intended'));
  await clock.advance(5_000);
  tell(aRecord('txn_2', 'withdraw', 'signed'));
  figures.tell();
  expect(metrics.gauges).toMatchObject({
    'transactions_open kind=redeem': 1,
    'transactions_oldest_seconds kind=redeem': 65,
    'transactions_open kind=withdraw': 1,
    'transactions_oldest_seconds kind=withdraw': 5,
    'transactions_open kind=swap': 0,
    'transactions_oldest_seconds kind=swap': 0,
  });
  tell(aRecord('txn_1', 'redeem', 'done'));
  figures.tell();
  expect(metrics.gauges).toMatchObject({
    'transactions_open kind=redeem': 0,
    'transactions_oldest_seconds kind=redeem': 0,
  });
});
