import { assert } from '../../domain/errors.ts';
import type { JournalEntry } from '../../domain/events.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';

/** Parts of the service listen, not users: sockets fan out behind one listener. */
const LISTENERS_MAXIMUM = 256;

/**
 * Makes the bus of one process. Entries reach every listener one after the other in the order they
 * were published; what a listener publishes while it is called waits its turn, so all listeners see
 * the same order.
 */
export function createMemoryBus({ log }: { readonly log: Log }): Bus {
  const listeners = new Set<(entry: JournalEntry) => void>();
  const waiting: JournalEntry[] = [];
  let isTelling = false;

  function tell(entry: JournalEntry): void {
    for (const listener of listeners) {
      try {
        listener(entry);
      } catch (cause) {
        log.error({ seq: entry.seq, type: entry.event.type, cause }, 'bus.listener_failed');
      }
    }
  }

  return {
    publish(entries) {
      waiting.push(...entries);
      if (isTelling) return;
      isTelling = true;
      try {
        for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) tell(entry);
      } finally {
        isTelling = false;
      }
    },
    subscribe(listener) {
      assert(
        listeners.size < LISTENERS_MAXIMUM,
        `at most ${LISTENERS_MAXIMUM} listeners on the bus`,
      );
      // A wrapper of its own, so that the same function may subscribe twice.
      const own = (entry: JournalEntry): void => listener(entry);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
