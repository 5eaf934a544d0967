import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import { addressKey } from '../../domain/chain-address.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { TransactionPurpose } from '../../domain/transaction-purpose.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { PAYMENTS, type PaymentMark } from './tables.ts';

/**
 * Returns whom a transaction pays beside its own user, as `addressKey` writes it; null where that
 * is no other: withdrawals, swaps and bridges go between a user's own wallets.
 */
function recipientOf({ owner, data }: TransactionPurpose): string | null {
  return owner === 'send' ? addressKey(data.to) : null;
}

/**
 * Notes a payment by its recipient as long as it may arrive, and for TOKEN_TRANSFER.bridgeTellsMs
 * after it has; some of what arrived longer ago is forgotten with the next to the same recipient.
 */
export function markPayment(
  tx: StoreWriter,
  { userId, transactionId, purpose, state, updatedAtMs }: TransactionRecord,
): void {
  const recipient = recipientOf(purpose);
  if (recipient === null) return;
  const key = [recipient, userId, transactionId];
  if (state === 'failed') tx.remove(PAYMENTS, key);
  else tx.put(PAYMENTS, key, { arrivedAtMs: state === 'done' ? updatedAtMs : null });
  const sinceMs = updatedAtMs - TOKEN_TRANSFER.bridgeTellsMs;
  const limit = TOKEN_TRANSFER.forgottenAtOnce;
  for (const row of tx.range(PAYMENTS, { prefix: [recipient], limit }))
    if (!isUnderWay(row.value, sinceMs)) tx.remove(PAYMENTS, row.key);
}

/** Counts the payments of all users to some addresses that have not arrived before `sinceMs`. */
export function paymentsTo(
  reader: StoreReader,
  addresses: Iterable<string>,
  sinceMs: number,
): number {
  let count = 0;
  for (const address of addresses)
    count += reader
      .range(PAYMENTS, { prefix: [addressKey(address)] })
      .filter(({ value }) => isUnderWay(value, sinceMs)).length;
  return count;
}

function isUnderWay({ arrivedAtMs }: PaymentMark, sinceMs: number): boolean {
  return arrivedAtMs === null || arrivedAtMs >= sinceMs;
}
