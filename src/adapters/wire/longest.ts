/** Observes the longest of many short durations: no moment is left out, and little is counted. */
export interface Longest {
  /**
   * Returns when a piece of work begins, for `ended`. Neither allocates; what is observed is
   * observed after the work, once in `LONGEST_EVERY_MS`.
   */
  begun(): number;
  ended(begunMs: number): void;
}

/** Each this often the longest is observed, ms of real time. */
export const LONGEST_EVERY_MS = 2_000;

/** Makes the watch; `observe` takes seconds. */
export function createLongest(
  observe: (seconds: number) => void,
  nowMs: () => number = () => performance.now(),
): Longest {
  let longestMs = 0;
  let sinceMs = nowMs();
  return {
    begun: nowMs,
    ended(begunMs) {
      const atMs = nowMs();
      if (atMs - begunMs > longestMs) longestMs = atMs - begunMs;
      if (atMs - sinceMs < LONGEST_EVERY_MS) return;
      observe(longestMs / 1_000);
      longestMs = 0;
      sinceMs = atMs;
    },
  };
}
