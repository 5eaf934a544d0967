import { SANDBOX } from '../../config/limits/sandbox.ts';
import { inWallTime, type Clock, type Timer } from '../ports/clock.ts';

/**
 * The most ticks made up for after a delay: older ones are lost, as on a feed whose process slept.
 */
const CATCH_UP_MAXIMUM = 10;

/**
 * Returns the step of a market that moves every `stepMs`, at least SANDBOX.stepWallMs of wall time
 * long: readers are not written to faster, however fast the clock runs.
 */
export function pacedStep(clock: Pick<Clock, 'speed'>, stepMs: number): number {
  const wallMs = Math.min(inWallTime(clock, SANDBOX.stepWallMs), SANDBOX.stepMaximumMs);
  return Math.ceil(wallMs / stepMs) * stepMs;
}

/** The steps to be called for. */
export interface Steps {
  readonly stepMs: number;
  readonly delayMs: number;
  /** The first tick from this one on that is wanted; every one unless stated. */
  firstFrom?(tick: number): number;
}

/**
 * A tick that goes on until it is cancelled. Whoever finds nothing to do rests: on a virtual clock,
 * a whole day of idle ticks is a twentieth of the work.
 */
export interface Ticks extends Timer {
  /** No more ticks until `wake`: there is nothing to do in them. */
  rest(): void;
  /**
   * The next one that begins, and those behind it; nothing happens to a tick that does not rest.
   */
  wake(): void;
}

/**
 * Calls `run` with the number of each step of `stepMs` that has begun `delayMs` ago: 1 000 and 1
 * 152 give every whole second 1.152 s late. A step that was missed because the clock jumped is made
 * up for, up to ten of them.
 */
export function everyTick(
  clock: Clock,
  { stepMs, delayMs, firstFrom = everyOne }: Steps,
  run: (tick: number) => void,
): Ticks {
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
      let tick = firstFrom(Math.max(last + 1, newest - CATCH_UP_MAXIMUM + 1));
      tick <= newest;
      tick = firstFrom(tick + 1)
    ) {
      if (isCancelled) return;
      run(tick);
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

function everyOne(tick: number): number {
  return tick;
}
