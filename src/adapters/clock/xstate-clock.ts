import type { Clock, Timer } from '../../ports/clock.ts';

/** What XState asks of a clock (`createActor(machine, { clock })`). */
export interface XStateClock {
  setTimeout(run: () => void, delayMs: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

/** Gives XState our clock: delayed transitions run in the clock's time, virtual or scaled ones included. */
export function toXStateClock(clock: Clock): XStateClock {
  return {
    setTimeout: (run, delayMs) => clock.after(delayMs, run),
    clearTimeout: (timer) => timer?.cancel(),
  };
}
