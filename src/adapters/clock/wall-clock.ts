import type { Clock } from '../../ports/clock.ts';
import { createRealTimers, type EventLoop } from './real-timers.ts';
import { createSlowness } from './slowness.ts';

/** Where the wall clock reads from; the defaults are the machine's. */
export interface WallSources {
  /** Epoch milliseconds; may jump. */
  readonly wallMs: () => number;
  /** Milliseconds since some moment; never jumps. */
  readonly steadyMs: () => number;
  /**
   * Called when the machine's clock was set, or the machine slept, by this much; below zero when it
   * was set back.
   */
  readonly stepped?: (stepMs: number) => void;
}

/**
 * Slower corrections than this between two readings are a time service at its work; the clock is
 * read every second at least.
 */
const STEP_MINIMUM_MS = 1_000;

/** How fast this clock runs while it waits for a wall clock that was set back. */
export const CATCH_UP_RATE = 0.5;

/**
 * Gives the machine's time as a clock that never falls. When the wall clock is set back this one
 * goes on at half speed until the wall has caught up: durations still end and no moment comes
 * twice. When the wall clock jumps ahead (set, or the machine slept) this one follows at once and
 * due timers run within a second: absolute deadlines hold. While it runs slow, and for as long
 * afterwards as anything that came in meanwhile could be used, it says so. Its timers run in
 * `loop`, this process's unless stated.
 */
export function createWallClock(given: Partial<WallSources> = {}, loop?: EventLoop): Clock {
  const sources: WallSources = { wallMs: Date.now, steadyMs: () => performance.now(), ...given };
  let nowMs = sources.wallMs();
  let wallAtMs = nowMs;
  let readAtMs = sources.steadyMs();
  const slowness = createSlowness();
  const readMs = (): number => {
    const steadyMs = sources.steadyMs();
    const passedMs = steadyMs - readAtMs;
    readAtMs = steadyMs;
    const wallMs = sources.wallMs();
    const stepMs = wallMs - wallAtMs - passedMs;
    wallAtMs = wallMs;
    if (Math.abs(stepMs) >= STEP_MINIMUM_MS) sources.stepped?.(Math.round(stepMs));
    nowMs = Math.max(wallMs, nowMs + passedMs * CATCH_UP_RATE);
    slowness.read(nowMs, wallMs);
    return nowMs;
  };
  return {
    ...createRealTimers(readMs, 1, loop),
    slowSinceMs() {
      readMs();
      return slowness.sinceMs();
    },
  };
}
