import type { Clock, Timer } from '../src/ports/clock.ts';

/** What XState asks of a clock. */
export interface ActorClock {
  readonly setTimeout: (run: () => void, delayMs: number) => Timer;
  readonly clearTimeout: (timer: Timer) => void;
}

/** Lets actors run in the clock's time: make it once, share it among all actors. */
export function toActorClock(clock: Clock): ActorClock {
  return {
    setTimeout: (run, delayMs) => clock.after(delayMs, run),
    clearTimeout: (timer) => timer.cancel(),
  };
}
