import type { Clock } from '../../ports/clock.ts';
import { createRealTimers } from './real-timers.ts';

/** Where the wall clock reads from; the defaults are the machine's. */
export interface WallSources {
  /** Epoch milliseconds; may jump. */
  readonly wallMs: () => number;
  /** Milliseconds since some moment; never jumps. */
  readonly steadyMs: () => number;
}

/** How fast this clock runs while it waits for a wall clock that was set back. */
const CATCH_UP_RATE = 0.5;

/**
 * Gives the machine's time as a clock that never falls. When the wall clock is set back this one goes on at half speed
 * until the wall has caught up: durations still end and no moment comes twice. When the wall clock jumps ahead (set, or
 * the machine slept) this one follows at once and due timers run within a second: absolute deadlines hold.
 */
export function createWallClock(sources: WallSources = { wallMs: Date.now, steadyMs: () => performance.now() }): Clock {
  let nowMs = sources.wallMs();
  let readAtMs = sources.steadyMs();
  return createRealTimers(() => {
    const steadyMs = sources.steadyMs();
    const passedMs = steadyMs - readAtMs;
    readAtMs = steadyMs;
    nowMs = Math.max(sources.wallMs(), nowMs + passedMs * CATCH_UP_RATE);
    return nowMs;
  }, 1);
}
