import { asId, type UserId, type VenueId } from '../../src/domain/ids.ts';
import type { TransactionRecord } from '../../src/domain/transaction.ts';
import type { StoreReader } from '../../src/ports/store.ts';
import { newTransaction } from '../../src/services/transactions/transaction-records.ts';
import { T0 } from './builders.ts';

/** A purchase of a user that is a transaction of their account on Base. */
export function aVenueCall(reader: StoreReader, userId: UserId): TransactionRecord {
  const draft = {
    userId,
    account: { chain: 'BASE', rail: 'evm', address: '0xaccount' },
    purpose: {
      owner: 'venue',
      kind: 'venue_call',
      data: { venue: asId<VenueId>('venue_c'), side: 'buy', data: null },
    },
    body: { kind: 'calls', calls: [] },
  } as const;
  return newTransaction(reader, draft, { transactionId: asId('txn_1'), nowMs: T0 });
}
