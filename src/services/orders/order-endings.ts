import type { IntentId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OrderRef } from '../books/tables.ts';
import type { OrderUpdates } from '../books/order-updates.ts';

/** Callers that wait until something is true of an order. */
export interface OrderEndings {
  /** Resolves with the record once it is, or as it is when the clock shows `untilMs`. */
  wait(ref: OrderRef, untilMs: number): Promise<OrderRecord>;
  /** Takes in a record as stored. */
  hear(record: OrderRecord): void;
  /** The process ends: whoever waits, or asks from now on, gets the record as it is. */
  leave(): void;
}

/** Makes the list of callers that wait until `isOver` is true of their orders. */
export function createOrderEndings(
  { updates, clock }: { readonly updates: Pick<OrderUpdates, 'read'>; readonly clock: Clock },
  isOver: (record: OrderRecord) => boolean,
): OrderEndings {
  const waiting = new Map<IntentId, Set<() => void>>();
  let hasLeft = false;
  return {
    wait(ref, untilMs) {
      const record = updates.read(ref);
      const leftMs = untilMs - clock.nowMs();
      if (isOver(record) || leftMs <= 0 || hasLeft) return Promise.resolve(record);
      return new Promise((resolve) => {
        const callers = waiting.get(ref.intentId) ?? new Set();
        const finish = (): void => {
          timer.cancel();
          callers.delete(finish);
          if (callers.size === 0) waiting.delete(ref.intentId);
          resolve(updates.read(ref));
        };
        const timer = clock.after(leftMs, finish);
        waiting.set(ref.intentId, callers.add(finish));
      });
    },
    hear(record) {
      if (isOver(record)) for (const finish of waiting.get(record.intent.intentId) ?? []) finish();
    },
    leave() {
      hasLeft = true;
      for (const finish of [...waiting.values()].flatMap((callers) => [...callers])) finish();
    },
  };
}
