import type { SignalReceipt } from '../../domain/agent.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Key, Store } from '../../ports/store.ts';
import { SIGNAL_RECEIPTS } from '../../services/execution/tables.ts';

/** How often the table is looked at, ms of the clock; receipts carry their own time. */
const EVERY_MS = 1_000;

/**
 * Tells the receipts of the shared signal as they are written. A replay has one agent, so one group
 * of receipts, and its keys grow with time. Gives the function that tells the last ones and ends
 * it.
 */
export function followSignals({
  store,
  clock,
  tell,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly tell: (receipt: SignalReceipt) => void;
}): () => void {
  let last: Key | null = null;
  let timer: Timer | null = null;
  const collect = (): void => {
    for (const { key, value } of store.range(
      SIGNAL_RECEIPTS,
      last === null ? {} : { after: last },
    )) {
      last = key;
      const { journalSeq: _place, ...receipt } = value;
      tell(receipt);
    }
  };
  const turn = (): void => {
    collect();
    timer = clock.after(EVERY_MS, turn);
  };
  turn();
  return () => {
    timer?.cancel();
    collect();
  };
}
