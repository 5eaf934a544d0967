import type { TransactionId, UserId } from '../../domain/ids.ts';
import type { StoredTransaction } from '../../domain/transaction.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** Finds a transaction by its caller's key. */
export interface TransactionRef {
  readonly userId: UserId;
  readonly transactionId: TransactionId;
}

/** Transactions: [userId, transactionId]. Read by `stored-transactions.ts`. */
export const TRANSACTIONS: Table<StoredTransaction> = { name: 'transactions' };
/**
 * Those that have not ended, the queues: [userId, chain, rail, address, place, transactionId]. At
 * most TRANSACTION.queueMaximum an account.
 */
export const OPEN_TRANSACTIONS: Table<OpenMark> = { name: 'open_transactions' };
/**
 * Those of them that pay another wallet: [recipient, userId, transactionId], the recipient as
 * `addressKey` writes it.
 */
export const OPEN_PAYMENTS: Table<OpenMark> = { name: 'open_payments' };
/** Idempotency key of a caller: [userId, key]. */
export const TRANSACTION_KEYS: Table<TransactionRef> = { name: 'transaction_keys' };
/**
 * What leaves users' wallets, of this day and less than one before: [userId, transactionId]. As
 * many as transactions are made in a day.
 */
export const DAILY_OUT: Table<{ readonly micros: number | null; readonly atMs: number }> = {
  name: 'daily_out',
};
