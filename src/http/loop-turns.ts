/** Turns of the event loop: what arrived together is worked on within one, and nothing else meanwhile. */
export interface LoopTurns {
  /** How long this turn has lasted since it was first asked about, ms: 0 at the first question of a turn. */
  elapsedMs(): number;
}

/** Watches the turns of this process. Sockets are read in the loop's poll phase and immediates run right after it (Node.js documentation, "The Node.js Event Loop"). */
export function createLoopTurns(): LoopTurns {
  let beganAtMs: number | null = null;
  return {
    elapsedMs() {
      const nowMs = performance.now();
      if (beganAtMs !== null) return nowMs - beganAtMs;
      beganAtMs = nowMs;
      setImmediate(() => {
        beganAtMs = null;
      });
      return 0;
    },
  };
}
