import type { Clock } from '../../ports/clock.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import { marketTimeOf, type ClockRun } from './market-runs.ts';
import { createRealTimers } from './real-timers.ts';
import { createSlowness } from './slowness.ts';

/** Returns how a scaled clock and the wall's go together, to the whole millisecond. */
export function scaledMarketTime(run: ClockRun): MarketTime {
  return marketTimeOf([run]);
}

/**
 * Gives a clock that runs `scale` times as fast as life, for a sandbox that need not wait.
 * Processes with the same anchor agree on the time. Never falls: when the wall clock is set back it
 * stops until the wall has caught up, and says so. Throws a RangeError when `scale` is not a
 * positive number.
 */
export function createScaledClock({
  anchorMs,
  anchorWallMs,
  scale,
  wallMs = Date.now,
}: ClockRun & {
  /** The wall clock to read; the machine's by default. */
  readonly wallMs?: () => number;
}): Clock {
  if (!Number.isFinite(scale) || scale <= 0)
    throw new RangeError(`not a positive time scale: ${scale}`);
  let nowMs = Number.NEGATIVE_INFINITY;
  const slowness = createSlowness();
  const readMs = (): number => {
    const dueMs = anchorMs + (wallMs() - anchorWallMs) * scale;
    nowMs = Math.max(nowMs, dueMs);
    slowness.read(nowMs, dueMs);
    return nowMs;
  };
  return {
    ...createRealTimers(readMs, scale),
    speed: scale,
    slowSinceMs() {
      readMs();
      return slowness.sinceMs();
    },
  };
}
