import type { IntentId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { Log } from '../../ports/log.ts';
import type { OrderWords } from '../books/order-updates.ts';
import type { OrderRef } from '../books/tables.ts';

/** Callers that wait for the venue's first word about their orders. */
export interface FirstWords {
  /** Resolves with the record once the first word is stored, or its absence (`unknown`); at once when it is. */
  wait(ref: OrderRef): Promise<OrderRecord>;
  /** Takes in a record as stored. */
  hear(record: OrderRecord): void;
  /** The process ends: whoever waits, or asks from now on, gets the record as it stands. */
  leave(): void;
}

interface Waiting {
  readonly ref: OrderRef;
  readonly resolve: (record: OrderRecord) => void;
}

/** Makes the waiting room. */
export function createFirstWords({
  words,
  log,
}: {
  readonly words: Pick<OrderWords, 'read'>;
  readonly log: Log;
}): FirstWords {
  const waiting = new Map<IntentId, readonly Waiting[]>();
  let hasLeft = false;
  return {
    wait(ref) {
      const record = words.read(ref);
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
        resolve(words.read(ref));
      }
      waiting.clear();
    },
  };
}
