import { STALENESS } from '../../../config/limits/market-data.ts';

/**
 * Behind the wall by less than this, a clock is corrected by no more than its own grain: ages are
 * off by as little.
 */
const NOTICED_FROM_MS = 250;
/**
 * Once a clock has caught up, what came in meanwhile looks younger than it is, until it is too old
 * for any decision.
 */
const LASTS_FOR_LONGER_MS = STALENESS.bookMs;

/** Tells since when a clock has been running slow. */
export interface Slowness {
  /**
   * Takes a reading: what the clock shows, and what it would show had the wall not been set back.
   */
  read(nowMs: number, wallMs: number): void;
  sinceMs(): number | null;
}

/** Makes the memory of a clock that waits for a wall which was set back. */
export function createSlowness(): Slowness {
  let slow: { readonly sinceMs: number; readonly untilMs: number } | null = null;
  return {
    read(nowMs, wallMs) {
      if (nowMs - wallMs > NOTICED_FROM_MS)
        slow = { sinceMs: slow?.sinceMs ?? nowMs, untilMs: nowMs + LASTS_FOR_LONGER_MS };
      else if (slow !== null && nowMs >= slow.untilMs) slow = null;
    },
    sinceMs: () => (slow === null ? null : Math.floor(slow.sinceMs)),
  };
}
