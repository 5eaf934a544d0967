/** A turn of the event loop: its number, and how long it has worked on calls, ms. */
export interface LoopTurn {
  readonly number: number;
  readonly workedMs: number;
}

/**
 * Turns of the event loop: what arrived together is worked on within one, and nothing else
 * meanwhile.
 */
export interface LoopTurns {
  /** Notes that a call has arrived, and tells of the turn it arrived in. */
  arrived(): LoopTurn;
}

/**
 * Most that one call counts for: what else lies between two of them, books or decisions, is no
 * reason to refuse the second.
 */
const CALL_MAXIMUM_MS = 2;

/**
 * Watches the turns of this process. Sockets are read in the loop's poll phase and immediates run
 * right after it (Node.js documentation, "The Node.js Event Loop").
 */
export function createLoopTurns(nowMs: () => number = () => performance.now()): LoopTurns {
  let number = 0;
  let workedMs = 0;
  let arrivedAtMs: number | null = null;
  return {
    arrived() {
      const atMs = nowMs();
      if (arrivedAtMs === null) {
        number += 1;
        workedMs = 0;
        setImmediate(() => {
          arrivedAtMs = null;
        });
      } else {
        workedMs += Math.min(atMs - arrivedAtMs, CALL_MAXIMUM_MS);
      }
      arrivedAtMs = atMs;
      return { number, workedMs };
    },
  };
}
