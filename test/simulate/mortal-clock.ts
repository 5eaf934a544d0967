import { slowSinceMs, type Clock, type Timer } from '../../src/ports/clock.ts';

/** The world's clock as one process sees it. */
export interface MortalClock extends Clock {
  /** The process is gone: none of its timers runs any more, and none can be set. */
  end(): void;
}

const NO_TIMER: Timer = { cancel: () => undefined };

/** Gives a process its own view of the clock. */
export function createMortalClock(clock: Clock): MortalClock {
  let isOver = false;
  return {
    nowMs: () => clock.nowMs(),
    after(delayMs, run) {
      if (isOver) return NO_TIMER;
      return clock.after(delayMs, () => {
        if (!isOver) run();
      });
    },
    slowSinceMs: () => slowSinceMs(clock),
    end() {
      isOver = true;
    },
  };
}
