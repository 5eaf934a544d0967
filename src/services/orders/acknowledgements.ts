import type { IntentId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { Log } from '../../ports/log.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import type { OrderRef } from '../books/tables.ts';

/** Callers that wait for the venue's first answer about their orders. */
export interface Acknowledgements {
  /**
   * Resolves with the record once the acknowledgement is stored, or its absence (`unknown`); at
   * once when it is.
   */
  wait(ref: OrderRef): Promise<OrderRecord>;
  /** Takes in a record as stored. */
  hear(record: OrderRecord): void;
  /** The process ends: whoever waits, or asks from now on, gets the record as it is. */
  leave(): void;
}

interface Waiting {
  readonly ref: OrderRef;
  readonly resolve: (record: OrderRecord) => void;
}

/** Makes the waiting room. */
export function createAcknowledgements({
  updates,
  log,
}: {
  readonly updates: Pick<OrderUpdates, 'read'>;
  readonly log: Log;
}): Acknowledgements {
  const waiting = new Map<IntentId, readonly Waiting[]>();
  let hasLeft = false;
  return {
    wait(ref) {
      const record = updates.read(ref);
      if (record.state !== 'signed' || hasLeft) return Promise.resolve(record);
      return new Promise((resolve) =>
        waiting.set(ref.intentId, [...(waiting.get(ref.intentId) ?? []), { ref, resolve }]),
      );
    },
    hear(record) {
      if (record.state === 'signed') return;
      for (const { resolve } of waiting.get(record.intent.intentId) ?? []) resolve(record);
      waiting.delete(record.intent.intentId);
    },
    leave() {
      hasLeft = true;
      for (const { ref, resolve } of [...waiting.values()].flat()) {
        log.warn({ intentId: ref.intentId }, 'order.left_undecided');
        resolve(updates.read(ref));
      }
      waiting.clear();
    },
  };
}
