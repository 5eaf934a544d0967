import { TRANSACTION } from '../../../config/limits/funds.ts';
import type { UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { SendPurpose } from '../../domain/transaction-purpose.ts';
import type { StoreReader } from '../../ports/store.ts';
import { newestBefore } from './transaction-records.ts';

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
  for (let before: string | null = null; ; ) {
    const rows: readonly TransactionRecord[] = newestBefore(reader, userId, before);
    for (const record of rows)
      if (record.createdAtMs >= sinceMs && isSend(record)) found.push(record);
    const last = rows.at(-1);
    if (last === undefined || rows.length < TRANSACTION.rowsPerRead) return found;
    if (last.createdAtMs < sinceMs) return found;
    before = last.transactionId;
  }
}

function isSend(record: TransactionRecord): record is SendRecord {
  return record.purpose.kind === 'send' && record.state !== 'failed';
}
