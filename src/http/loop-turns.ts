/** A turn of the event loop: its number, and how long it has lasted since it was first asked about, ms. */
export interface LoopTurn {
  readonly number: number;
  readonly elapsedMs: number;
}

/** Turns of the event loop: what arrived together is worked on within one, and nothing else meanwhile. */
export interface LoopTurns {
  current(): LoopTurn;
}

/** Watches the turns of this process. Sockets are read in the loop's poll phase and immediates run right after it (Node.js documentation, "The Node.js Event Loop"). */
export function createLoopTurns(): LoopTurns {
  let number = 0;
  let beganAtMs: number | null = null;
  return {
    current() {
      const nowMs = performance.now();
      if (beganAtMs !== null) return { number, elapsedMs: nowMs - beganAtMs };
      beganAtMs = nowMs;
      number += 1;
      setImmediate(() => {
        beganAtMs = null;
      });
      return { number, elapsedMs: 0 };
    },
  };
}
