import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';

/** A virtual clock in motion. */
export interface Pump {
  stop(): Promise<void>;
}

/**
 * Moves a virtual clock on by `stepMs` in every turn of the event loop. Real sockets live between
 * the steps, and a busy machine stops the clock with everything else: no watchdog fires because a
 * test was slow.
 */
export function pump(clock: VirtualClock, stepMs: number): Pump {
  const state = { isRunning: true };
  const run = async (): Promise<void> => {
    while (state.isRunning) {
      await clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ended = run();
  return {
    stop() {
      state.isRunning = false;
      return ended;
    },
  };
}
