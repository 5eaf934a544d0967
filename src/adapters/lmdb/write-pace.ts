import { STORE } from '../../../config/limits/store.ts';

/** What one slow write takes back: a disk that stalls does so in runs. */
const SLOW_COSTS = 8;

/**
 * Says whether the thread may wait for the disk itself. Another thread that does it costs a tenth
 * of a millisecond of waking and as much of cold caches, more than half of what a quick disk takes;
 * a slow disk must not hold the event loop.
 */
export class WritePace {
  #credit = 0;

  isQuick(bytes: number): boolean {
    return bytes <= STORE.writtenHereBytes && this.#credit >= STORE.quickWritesWanted;
  }

  /** Takes in how long a write took, on whichever thread. */
  took(durationMs: number): void {
    this.#credit =
      durationMs <= STORE.quickWriteMs
        ? Math.min(this.#credit + 1, STORE.quickWritesKept)
        : Math.max(this.#credit - SLOW_COSTS, 0);
  }
}
