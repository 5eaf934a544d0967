import { slowSinceMs, type Clock, type Timer } from '../../src/ports/clock.ts';

/** The world's clock as one process sees it. */
export interface MortalClock extends Clock {
  /** The process is gone: none of its timers runs any more, and none can be set. */
  end(): void;
  /** The process is stopped: timers that fall due wait until it is woken. */
  pause(): void;
  /** Runs what fell due meanwhile, in its order, and goes on as if nothing had happened. */
  resume(): void;
}

const NO_TIMER: Timer = { cancel: () => undefined };

/** Gives a process its own view of the clock. */
export function createMortalClock(clock: Clock): MortalClock {
  let isOver = false;
  /** What fell due while the process was stopped; null while it runs. */
  let overdue: Set<() => void> | null = null;
  return {
    nowMs: () => clock.nowMs(),
    after(delayMs, run) {
      if (isOver) return NO_TIMER;
      let timer = clock.after(delayMs, fire);
      function fire(): void {
        if (isOver) return;
        if (overdue === null) run();
        else overdue.add(again);
      }
      function again(): void {
        timer = clock.after(0, fire);
      }
      return {
        cancel() {
          timer.cancel();
          overdue?.delete(again);
        },
      };
    },
    slowSinceMs: () => slowSinceMs(clock),
    end() {
      isOver = true;
    },
    pause() {
      overdue ??= new Set();
    },
    resume() {
      const waiting = overdue ?? [];
      overdue = null;
      for (const again of waiting) again();
    },
  };
}
