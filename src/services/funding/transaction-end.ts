import type { AuditAction } from '../../domain/events.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { endHold, openHolds } from '../books/holds.ts';
import type { Verdict } from '../transactions/transaction-effects.ts';

/** Returns what a final block says of own bytes that do all they were for, or nothing. */
export function doneByItsBlock(): Verdict {
  return { state: 'done', reason: null };
}

/**
 * Leaves a line of how a transaction ended in the audit trail: of what it was for, where that has a
 * record of its own, with what the line is to say of that first.
 */
export function auditEnd(
  tx: StoreWriter,
  { userId, transactionId, updatedAtMs, state, reason, transactionHash }: TransactionRecord,
  action: AuditAction,
  { subject = transactionId, of }: { readonly subject?: string; readonly of?: string } = {},
): void {
  const end =
    state === 'done'
      ? `done in ${transactionHash ?? 'no transaction'}`
      : `failed: ${reason ?? 'no reason'}`;
  const detail = of === undefined ? end : `${of} ${end}`;
  audit(tx, { userId, atMs: updatedAtMs, action, subject, detail });
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
