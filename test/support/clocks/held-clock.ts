import type { Clock } from '../../../src/ports/clock.ts';

/** A wait that lasts until the test ends it, however slow the machine is. */
export const HELD_MS = 3_599_999;

/** A clock whose waits of `HELD_MS` end when they are let go. */
export interface HeldClock extends Clock {
  /** Ends all that wait now. */
  letGo(): void;
}

/** Makes one over another clock, which tells the time and runs every other wait. */
export function createHeldClock(clock: Clock): HeldClock {
  const held = new Set<() => void>();
  return {
    nowMs: () => clock.nowMs(),
    after(delayMs, run) {
      if (delayMs !== HELD_MS) return clock.after(delayMs, run);
      const wait = (): void => run();
      held.add(wait);
      return { cancel: () => void held.delete(wait) };
    },
    letGo() {
      const waits = [...held];
      held.clear();
      for (const wait of waits) wait();
    },
  };
}
