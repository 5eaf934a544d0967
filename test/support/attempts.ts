import { asId, type AttemptId, type OrderId } from '../../src/domain/ids.ts';
import {
  lastAttempt,
  type OrderAttempt,
  type OrderHandle,
  type OrderIntent,
  type OrderRecord,
  type SignedAttempt,
} from '../../src/domain/order.ts';

/** The venue's id of an order's newest attempt; an unknown one where it has none. */
export function orderIdOf(record: Pick<OrderRecord, 'attempts'>): OrderId {
  return lastAttempt(record)?.orderId ?? asId<OrderId>('none');
}

/** How often the newest attempt was sent. */
export function sendsOf(record: Pick<OrderRecord, 'attempts'>): number {
  return lastAttempt(record)?.sends ?? 0;
}

/** An attempt that both sides call `id`, sent once. */
export function anAttempt(id: string, change: Partial<OrderAttempt> = {}): OrderAttempt {
  return {
    attemptId: asId<AttemptId>(id),
    orderId: asId<OrderId>(id),
    body: '{}',
    extra: null,
    sends: 1,
    lastSentAtMs: 0,
    ended: null,
    ...change,
  };
}

/** What was signed for an intent, as a venue is handed it. */
export function handleOf(intent: OrderIntent, signed: SignedAttempt): OrderHandle {
  return {
    intent,
    attempt: { ...signed, sends: 1, lastSentAtMs: intent.createdAtMs, ended: null },
  };
}
