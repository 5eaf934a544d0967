import { AppError } from '../../domain/errors.ts';
import type { TransactionId, UserId } from '../../domain/ids.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import type {
  PurposeKind,
  PurposeOf,
  TransactionPurpose,
} from '../../domain/transaction-purpose.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import type { StoreReader } from '../../ports/store.ts';
import { findTransaction } from './stored-transactions.ts';
import { pageOfTransactions } from './transaction-records.ts';
import type { Transactions } from './transactions.ts';

/** How far what a user asked for has come: `queued` here, `sent` to the chain, or ended there. */
export interface TransactionProgress {
  readonly state: 'queued' | 'sent' | 'settled' | 'failed';
  readonly reason: string | null;
  readonly transactionHash: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The transactions of one purpose, as their users see them. */
export interface TransactionViews<View> {
  /** One of this user; null for an unknown one and for another user's. */
  get(userId: UserId, transactionId: TransactionId): View | null;
  /** A user's, newest first. Errors: `invalid_request` for an invalid cursor. */
  list(userId: UserId, page: PageQuery): Page<View>;
}

interface Asked {
  readonly kind: PurposeKind;
  readonly key?: string | undefined;
  readonly waitMs: number;
}

/**
 * Resolves with the transaction that a user asks for, once by its key, at its end or as far as it
 * is after `waitMs`. `make` stores it. Errors: `idempotency_mismatch` for a key that was used for
 * something else, those of `make`.
 */
export async function requestTransaction(
  transactions: Pick<Transactions, 'find' | 'wake' | 'settled'>,
  userId: UserId,
  { kind, key, waitMs }: Asked,
  make: () => Promise<TransactionRecord>,
): Promise<TransactionRecord> {
  const record = transactions.find(userId, key) ?? (await make());
  purposeFor(record, kind);
  transactions.wake(userId);
  return transactions.settled(record, waitMs);
}

/**
 * Returns what a transaction that a key found is for. Errors: `idempotency_mismatch` where it is of
 * another kind.
 */
export function purposeFor<Kind extends PurposeKind>(
  { purpose }: Pick<TransactionRecord, 'purpose'>,
  kind: Kind,
): PurposeOf<Kind> {
  if (isOf(purpose, kind)) return purpose;
  throw new AppError('idempotency_mismatch', `this key was used for a ${purpose.kind}`);
}

function isOf<Kind extends PurposeKind>(
  purpose: TransactionPurpose,
  kind: Kind,
): purpose is PurposeOf<Kind> {
  return purpose.kind === kind;
}

/** Returns the reads of what users asked for, for one purpose. */
export function transactionViews<View>(
  store: StoreReader,
  kind: PurposeKind,
  viewOf: (record: TransactionRecord) => View,
): TransactionViews<View> {
  return {
    get(userId, transactionId) {
      const record = findTransaction(store, { userId, transactionId });
      return record?.purpose.kind === kind ? viewOf(record) : null;
    },
    list(userId, page) {
      const { data, nextCursor } = pageOfTransactions(store, userId, { kind, ...page });
      return { data: data.map(viewOf), nextCursor };
    },
  };
}

/** Returns how far a transaction has come. */
export function progressOf({
  state,
  attempts,
  reason,
  transactionHash,
  createdAtMs,
  updatedAtMs,
}: TransactionRecord): TransactionProgress {
  const before = attempts.length === 0 ? 'queued' : 'sent';
  const ended = state === 'done' ? 'settled' : 'failed';
  return {
    state: isTransactionOver(state) ? ended : before,
    reason,
    transactionHash,
    createdAtMs,
    updatedAtMs,
  };
}
