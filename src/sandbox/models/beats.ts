import type { Clock, Timer } from '../../ports/clock.ts';

/** The most beats made up for after a delay: older ones are lost, as on a feed whose process slept. */
const CATCH_UP_MAXIMUM = 10;

/**
 * Calls `run` with the number of each step of `stepMs` that has begun `delayMs` ago: 1 000 and 1 152 give every whole
 * second 1.152 s late. A step that was missed because the clock jumped is made up for, up to ten of them.
 */
export function everyBeat(clock: Clock, { stepMs, delayMs }: { readonly stepMs: number; readonly delayMs: number }, run: (beat: number) => void): Timer {
  let last = Math.floor((clock.nowMs() - delayMs) / stepMs);
  let timer: Timer | null = null;
  let isCancelled = false;
  function arm(): void {
    timer = clock.after((last + 1) * stepMs + delayMs - clock.nowMs(), turn);
  }
  function turn(): void {
    const newest = Math.floor((clock.nowMs() - delayMs) / stepMs);
    for (let beat = Math.max(last + 1, newest - CATCH_UP_MAXIMUM + 1); beat <= newest; beat += 1) {
      if (isCancelled) return;
      run(beat);
    }
    last = newest;
    if (!isCancelled) arm();
  }
  arm();
  return {
    cancel() {
      isCancelled = true;
      timer?.cancel();
    },
  };
}
