import { assert } from '../../domain/errors.ts';
import {
  lastAttempt,
  withLastAttempt,
  type OrderAttempt,
  type OrderHandle,
  type OrderRecord,
} from '../../domain/order.ts';
import { intentOfPart } from '../books/kept-order.ts';
import { foldNeverBooked, foldTakenBack } from '../books/order-fold.ts';
import type { OrderFold } from '../books/order-updates.ts';

/** The attempts of an order once the bytes of its newest one leave once more. */
export function sentAgain(record: OrderRecord, atMs: number): OrderRecord['attempts'] {
  const sends = attemptOf(record).sends + 1;
  return withLastAttempt(record.attempts, { sends, lastSentAtMs: atMs });
}

/**
 * An attempt, the newest unless another is given, with what it asks the venue for: the part where
 * it is one of several.
 */
export function handleOf(
  record: OrderRecord,
  attempt: OrderAttempt = attemptOf(record),
): OrderHandle {
  const { intent } = record;
  return { intent: attempt.part ? intentOfPart(intent, attempt.part) : intent, attempt };
}

/** The newest attempt. A record without one breaks an invariant. */
export function attemptOf(record: OrderRecord): OrderAttempt {
  const last = lastAttempt(record);
  assert(last !== null, `order ${record.intent.intentId} is signed before it has an actor`);
  return last;
}

/** What is learned of an attempt says nothing of the one that followed it. */
export function isLast(record: OrderRecord, { attemptId }: OrderAttempt): boolean {
  return attemptOf(record).attemptId === attemptId;
}

/** Only a sending that was never unknown and surely not taken in may end by itself. */
export function neverTaken(reason: string): OrderFold {
  return (record, nowMs) =>
    record.state === 'signed' ? foldNeverBooked(record, reason, nowMs) : record;
}

/** What was withheld never left: it ends as its user wanted, or for what held it back. */
export function neverLeft(reason: string): OrderFold {
  return (record, nowMs) =>
    record.state === 'signed' && record.cancelWanted
      ? foldTakenBack(record, reason, nowMs)
      : neverTaken(reason)(record, nowMs);
}
