import type { Clock } from '../ports/clock.ts';

/** Pauses of work that goes on until it is stopped. */
export interface Pauses {
  /** Resolves after `ms`, or at once when the work is stopped. */
  pause(ms: number): Promise<void>;
  isOver(): boolean;
  /** Ends the pauses that are under way; none is made after it. */
  stop(): void;
}

/** Makes pauses on a clock. */
export function createPauses(clock: Clock): Pauses {
  const waiting = new Set<() => void>();
  let isOver = false;
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        if (isOver) return resolve();
        const end = (): void => {
          timer.cancel();
          waiting.delete(end);
          resolve();
        };
        const timer = clock.after(ms, end);
        waiting.add(end);
      }),
    isOver: () => isOver,
    stop() {
      isOver = true;
      for (const end of waiting) end();
    },
  };
}
