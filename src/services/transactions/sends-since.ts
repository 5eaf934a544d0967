import { TRANSACTION } from '../../../config/limits/funds.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SendPurpose, TransactionRecord } from '../../domain/transaction.ts';
import type { Key, StoreReader } from '../../ports/store.ts';
import { TRANSACTIONS } from './tables.ts';

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
  let before: Key | null = null;
  for (;;) {
    const rows: readonly { readonly key: Key; readonly value: TransactionRecord }[] = reader.range(
      TRANSACTIONS,
      {
        prefix: [userId],
        reverse: true,
        limit: TRANSACTION.rowsPerRead,
        ...(before === null ? {} : { after: before }),
      },
    );
    for (const { value } of rows)
      if (value.createdAtMs >= sinceMs && isSend(value)) found.push(value);
    const last = rows.at(-1);
    if (last === undefined || rows.length < TRANSACTION.rowsPerRead) return found;
    if (last.value.createdAtMs < sinceMs) return found;
    before = last.key;
  }
}

function isSend(record: TransactionRecord): record is SendRecord {
  return record.purpose.kind === 'send' && record.state !== 'failed';
}
