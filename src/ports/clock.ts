/** A pending timer. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time inside the daemon: it drives XState and RxJS alike. Wall in production,
 * virtual in tests and replays, scaled in a sandbox that runs faster than life.
 */
export interface Clock {
  /** Epoch milliseconds on this clock; whole, never falling. */
  nowMs(): number;
  /**
   * How many of this clock's milliseconds pass in one of the wall's; absent where they are the
   * same.
   */
  readonly speed?: number;
  /** Runs `run` once after `delayMs` of this clock's time. */
  after(delayMs: number, run: () => void): Timer;
  /**
   * Since when, on this clock, less time has passed on it than in life, because the wall was set
   * back; what was received since then is older than it looks. Null while it keeps pace; absent on
   * clocks that always do.
   */
  slowSinceMs?(): number | null;
}

/**
 * Since when a clock has been running slow; null while it keeps pace, as one does that has nothing
 * to say about it.
 */
export function slowSinceMs(clock: Clock): number | null {
  return clock.slowSinceMs?.() ?? null;
}

/**
 * Returns how much of a clock's time, in whole ms, passes in `wallMs` of wall time. What a caller
 * outside waits for, an answer to a call or one from another machine, takes wall time however fast
 * the market clock runs.
 */
export function inWallTime(clock: Pick<Clock, 'speed'>, wallMs: number): number {
  return Math.ceil(wallMs * (clock.speed ?? 1));
}

/** Returns the whole ms of wall time that have passed since a moment on this clock. */
export function wallMsSince(clock: Pick<Clock, 'nowMs' | 'speed'>, atMs: number): number {
  return Math.round((clock.nowMs() - atMs) / (clock.speed ?? 1));
}
