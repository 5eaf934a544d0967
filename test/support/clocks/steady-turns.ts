import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';

/** Time that passes a little in every turn of the event loop, and can stand still or skip. */
export interface SteadyTurns {
  readonly clock: VirtualClock;
  /** The same as ms since its start, with what was skipped. */
  steadyMs(): number;
  /** Passes `ms` of which no timer hears: as for a process that was stopped. */
  skip(ms: number): void;
  /** Runs something while no time passes. */
  hold(run: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Real sockets take a few turns for what takes them a millisecond. */
const TURN_MS = 2;

/** Sets time going. */
export function createSteadyTurns(startMs: number): SteadyTurns {
  const clock = createVirtualClock(startMs);
  const state = { isRunning: true, isHeld: false, skippedMs: 0 };
  const run = async (): Promise<void> => {
    while (state.isRunning) {
      if (!state.isHeld) await clock.advance(TURN_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ended = run();
  return {
    clock,
    steadyMs: () => clock.nowMs() - startMs + state.skippedMs,
    skip: (ms) => void (state.skippedMs += ms),
    async hold(during) {
      state.isHeld = true;
      await during();
      state.isHeld = false;
    },
    stop() {
      state.isRunning = false;
      return ended;
    },
  };
}
