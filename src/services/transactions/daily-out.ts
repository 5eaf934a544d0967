import { AppError } from '../../domain/errors.ts';
import type { TransactionId, UserId } from '../../domain/ids.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { transactionAt } from './stored-transactions.ts';
import { DAILY_OUT } from './tables.ts';

const DAY_MS = 86_400_000;

/** Something that takes money out of a user's wallets. */
export interface Outflow {
  readonly userId: UserId;
  /** The transaction that carries it: one that fails counts for nothing. */
  readonly transactionId: TransactionId;
  /** What of it counts, in millionths of a dollar; null where unknown. */
  readonly micros: number | null;
  readonly atMs: number;
  /** True for a user who has just signed in: nothing is asked of them, and it counts. */
  readonly isFresh: boolean;
}

/**
 * Counts what leaves a user's wallets against what may in a UTC day, in the transaction that stores
 * what it is for (L5): the one place for whatever does. Errors: `fresh_sign_in_required` beyond it,
 * or where the worth of it or something before it is unknown.
 */
export function reserveOut(tx: StoreWriter, outflow: Outflow, dailyOutMicros: number): void {
  const { userId, transactionId, micros, atMs } = outflow;
  assertMayGoOut(tx, outflow, dailyOutMicros);
  const dayStartMs = dayStartOf(atMs);
  for (const { key, value } of tx.range(DAILY_OUT, { prefix: [userId] }))
    if (value.atMs < dayStartMs) tx.remove(DAILY_OUT, key);
  tx.put(DAILY_OUT, [userId, transactionId], { micros, atMs }, 0);
}

/** Holds something to what may leave in its day. It only reads. Errors: those of `reserveOut`. */
export function assertMayGoOut(
  reader: StoreReader,
  outflow: Omit<Outflow, 'transactionId'>,
  dailyOutMicros: number,
): void {
  const left = outLeftAfter(reader, outflow, dailyOutMicros);
  if (!outflow.isFresh && (left === null || left < 0))
    throw new AppError(
      'fresh_sign_in_required',
      `what takes more than ${dailyOutMicros / 1e6} USD out of your wallets in a day, or something of unknown worth, needs a sign-in within the last minutes`,
    );
}

/**
 * Returns what something leaves of what may leave in its day, in millionths of a dollar: below zero
 * where it goes beyond, null where unknown.
 */
export function outLeftAfter(
  reader: StoreReader,
  { userId, micros, atMs }: Pick<Outflow, 'userId' | 'micros' | 'atMs'>,
  dailyOutMicros: number,
): number | null {
  const before = outSince(reader, userId, dayStartOf(atMs));
  return before === null || micros === null ? null : dailyOutMicros - before - micros;
}

function dayStartOf(atMs: number): number {
  return atMs - (atMs % DAY_MS);
}

/**
 * Returns what has left a user's wallets since a moment of this UTC day, or is about to, in
 * millionths of a dollar; null where unknown.
 */
export function outSince(reader: StoreReader, userId: UserId, sinceMs: number): number | null {
  let sum = 0;
  for (const { key, value } of reader.range(DAILY_OUT, { prefix: [userId] })) {
    if (value.atMs < sinceMs) continue;
    if (transactionAt(reader, key)?.state === 'failed') continue;
    if (value.micros === null) return null;
    sum += value.micros;
  }
  return sum;
}
