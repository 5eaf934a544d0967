import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoredTransaction, TransactionRecord } from '../../domain/transaction.ts';
import { purposeFrom } from '../../domain/transaction-purpose.ts';
import type { Key, Range, StoreReader } from '../../ports/store.ts';
import { newestFirst } from '../newest-first.ts';
import { TRANSACTIONS, type TransactionRef } from './tables.ts';

/** Returns one transaction. Errors: `not_found`. */
export function readTransaction(reader: StoreReader, ref: TransactionRef): TransactionRecord {
  const found = findTransaction(reader, ref);
  if (found === null)
    throw new AppError('not_found', `there is no transaction ${ref.transactionId}`);
  return found;
}

/** Returns one transaction; null for an unknown one. */
export function findTransaction(
  reader: StoreReader,
  { userId, transactionId }: TransactionRef,
): TransactionRecord | null {
  return transactionAt(reader, [userId, transactionId]);
}

/** Returns the transaction of a key of the table; null without one. */
export function transactionAt(reader: StoreReader, key: Key): TransactionRecord | null {
  const found = reader.get(TRANSACTIONS, key);
  return found === null ? null : fromStored(found.value);
}

/** Returns a user's transactions in the order of their making, or what of them `range` asks for. */
export function transactionsOf(
  reader: StoreReader,
  userId: UserId,
  range: Omit<Range, 'prefix'> = {},
): readonly TransactionRecord[] {
  return reader
    .range(TRANSACTIONS, { prefix: [userId], ...range })
    .map(({ value }) => fromStored(value));
}

/** Reads a user's transactions before an id, newest first, a few at a time. */
export function* newestTransactions(
  reader: StoreReader,
  userId: UserId,
  before: string | null,
): Generator<TransactionRecord> {
  const start = before === null ? null : [userId, before];
  for (const { value } of newestFirst(reader, TRANSACTIONS, { prefix: [userId], start }))
    yield fromStored(value);
}

function fromStored(stored: StoredTransaction): TransactionRecord {
  const purpose = purposeFrom(stored.purpose);
  // most were stored as they are read: no copy for them
  return purpose === stored.purpose
    ? (stored as TransactionRecord) // its purpose has an owner
    : { ...stored, purpose };
}
