import { type GasPaid, sumOfGas } from '../../domain/fill.ts';
import type { TransactionId, UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { findTransaction } from './stored-transactions.ts';

/**
 * Returns what the network took of a user's own account for transactions of one chain, those that
 * failed among them; undefined while none is over, and where their chain did not state it.
 */
export function gasOfTransactions(
  reader: StoreReader,
  userId: UserId,
  transactionIds: readonly TransactionId[],
): GasPaid | undefined {
  const paid = transactionIds.flatMap((transactionId): readonly GasPaid[] => {
    const record = findTransaction(reader, { userId, transactionId });
    return record?.fee === undefined ? [] : [{ chain: record.account.chain, units: record.fee }];
  });
  return sumOfGas(paid);
}
