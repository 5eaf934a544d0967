import type { TransactionId, UserId } from '../../domain/ids.ts';
import type { StoredTransaction } from '../../domain/transaction.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** Finds a transaction by its caller's key. */
export interface TransactionRef {
  readonly userId: UserId;
  readonly transactionId: TransactionId;
}

/** A payment to another wallet. */
export interface PaymentMark {
  /** When the chain was final, epoch ms of wall time; null before. */
  readonly arrivedAtMs: number | null;
}

/** Transactions: [userId, transactionId]. Read by `stored-transactions.ts`. */
export const TRANSACTIONS: Table<StoredTransaction> = { name: 'transactions' };
/**
 * Those that have not ended, the queues: [userId, chain, rail, address, place, transactionId]. At
 * most TRANSACTION.queueMaximum an account.
 */
export const OPEN_TRANSACTIONS: Table<OpenMark> = { name: 'open_transactions' };
/**
 * Payments to others that are under way, or arrived of late: [recipient, userId, transactionId],
 * the recipient as `addressKey` writes it.
 */
export const PAYMENTS: Table<PaymentMark> = { name: 'payments' };
/** Idempotency key of a caller: [userId, key]. */
export const TRANSACTION_KEYS: Table<TransactionRef> = { name: 'transaction_keys' };
/**
 * What leaves users' wallets, of this day and less than one before: [userId, transactionId]. As
 * many as transactions are made in a day.
 */
export const DAILY_OUT: Table<{ readonly micros: number | null; readonly atMs: number }> = {
  name: 'daily_out',
};
