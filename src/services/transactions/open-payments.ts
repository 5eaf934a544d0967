import { addressKey } from '../../domain/chain-address.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import type { TransactionPurpose } from '../../domain/transaction-purpose.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { OPEN_PAYMENTS } from './tables.ts';

/**
 * Returns whom a transaction pays beside its own user, as `addressKey` writes it; null where that
 * is no other: withdrawals, swaps and bridges go between a user's own wallets.
 */
export function recipientOf({ owner, data }: TransactionPurpose): string | null {
  return owner === 'send' ? addressKey(data.to) : null;
}

/** Notes by its recipient a payment that is under way, and forgets one that has ended. */
export function markPayment(
  tx: StoreWriter,
  { userId, transactionId, purpose, state, createdAtMs }: TransactionRecord,
): void {
  const recipient = recipientOf(purpose);
  if (recipient === null) return;
  const key = [recipient, userId, transactionId];
  if (isTransactionOver(state)) tx.remove(OPEN_PAYMENTS, key);
  else tx.put(OPEN_PAYMENTS, key, { sinceMs: createdAtMs });
}

/** Counts the payments of all users that are under way to some addresses. */
export function openPaymentsTo(reader: StoreReader, addresses: Iterable<string>): number {
  let count = 0;
  for (const address of addresses)
    count += reader.range(OPEN_PAYMENTS, { prefix: [addressKey(address)] }).length;
  return count;
}
