import type { Clock, Timer } from '../ports/clock.ts';

/** The most beats made up for after a delay: older ones are lost, as on a feed whose process slept. */
const CATCH_UP_MAXIMUM = 10;

/** The steps to be told of. */
export interface BeatOptions {
  readonly stepMs: number;
  readonly delayMs: number;
  /** The first beat from this one on that is wanted; every one unless stated. */
  firstFrom?(beat: number): number;
}

/** A beat that goes on until it is cancelled. Whoever finds nothing to do rests: on a virtual clock, a whole day of idle beats is a twentieth of the work. */
export interface Beat extends Timer {
  /** No more beats until `wake`: there is nothing to do in them. */
  rest(): void;
  /** The next one that begins, and those behind it; nothing happens to a beat that does not rest. */
  wake(): void;
}

/**
 * Calls `run` with the number of each step of `stepMs` that has begun `delayMs` ago: 1 000 and 1 152 give every whole
 * second 1.152 s late. A step that was missed because the clock jumped is made up for, up to ten of them.
 */
export function everyBeat(
  clock: Clock,
  { stepMs, delayMs, firstFrom = everyOne }: BeatOptions,
  run: (beat: number) => void,
): Beat {
  const newestNow = (): number => Math.floor((clock.nowMs() - delayMs) / stepMs);
  let last = newestNow();
  let timer: Timer | null = null;
  let isCancelled = false;
  let isResting = false;
  function arm(): void {
    timer = clock.after(firstFrom(last + 1) * stepMs + delayMs - clock.nowMs(), turn);
  }
  function turn(): void {
    const newest = newestNow();
    for (
      let beat = firstFrom(Math.max(last + 1, newest - CATCH_UP_MAXIMUM + 1));
      beat <= newest;
      beat = firstFrom(beat + 1)
    ) {
      if (isCancelled) return;
      run(beat);
    }
    last = newest;
    if (!isCancelled && !isResting) arm();
  }
  arm();
  return {
    cancel() {
      isCancelled = true;
      timer?.cancel();
    },
    rest() {
      isResting = true;
      timer?.cancel();
    },
    wake() {
      if (!isResting || isCancelled) return;
      isResting = false;
      last = newestNow();
      arm();
    },
  };
}

function everyOne(beat: number): number {
  return beat;
}
