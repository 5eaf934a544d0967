import type { UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { SendPurpose } from '../../domain/transaction-purpose.ts';
import type { StoreReader } from '../../ports/store.ts';
import { newestTransactions } from './stored-transactions.ts';

/** A transaction that sends a token of the user's own wallet. */
export type SendRecord = TransactionRecord & { readonly purpose: SendPurpose };

/**
 * Returns what a user has sent, or is about to, since a moment; what failed is not among it. Ids
 * are in the order of their making.
 */
export function sendsSince(
  reader: StoreReader,
  userId: UserId,
  sinceMs: number,
): readonly SendRecord[] {
  const found: SendRecord[] = [];
  for (const record of newestTransactions(reader, userId, null)) {
    if (record.createdAtMs < sinceMs) break;
    if (isSend(record)) found.push(record);
  }
  return found;
}

function isSend(record: TransactionRecord): record is SendRecord {
  return record.purpose.kind === 'send' && record.state !== 'failed';
}
