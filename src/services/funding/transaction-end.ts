import type { TransactionRecord } from '../../domain/transaction.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { endHold, openHolds } from '../books/holds.ts';
import type { Verdict } from '../transactions/transaction-effects.ts';

/** How a transaction ended. */
export type TransactionEnd = Pick<TransactionRecord, 'state' | 'reason' | 'transactionHash'>;

/** Returns what a final block says of own bytes that do all they were for, or nothing. */
export function doneByItsBlock(): Verdict {
  return { state: 'done', reason: null };
}

/** Says how a transaction ended, for the audit trail. */
export function endInWords({ state, reason, transactionHash }: TransactionEnd): string {
  return state === 'done'
    ? `done in ${transactionHash ?? 'no transaction'}`
    : `failed: ${reason ?? 'no reason'}`;
}

/**
 * Ends what was held for a transaction, if anything was: with its block it has left, and it is
 * given back where it never will.
 */
export function endItsHold(
  tx: StoreWriter,
  { userId, transactionId, state }: Pick<TransactionRecord, 'userId' | 'transactionId' | 'state'>,
  atMs: number,
): void {
  if (openHolds(tx, userId).some(({ holdId }) => holdId === transactionId))
    endHold(
      tx,
      { userId, holdId: transactionId },
      { how: state === 'done' ? 'booked' : 'released', atMs },
    );
}

/** Returns what a record of its own becomes with the end of its transaction. */
export function endedWith<R extends object, Done extends string>(
  before: R,
  { state, reason, transactionHash }: TransactionEnd,
  { done, atMs }: { readonly done: Done; readonly atMs: number },
) {
  return {
    ...before,
    state: state === 'done' ? done : ('failed' as const),
    transactionHash,
    reason,
    updatedAtMs: atMs,
  };
}
