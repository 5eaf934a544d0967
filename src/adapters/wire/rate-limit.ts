import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** Bounds of a rate limit. */
export interface RateLimitOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
  /** Callers that may wait for their turn; one more is refused. */
  readonly waitingMaximum: number;
}

/** Lets calls pass at a bounded rate, in order of arrival. */
export interface RateLimit {
  /**
   * Null when the call may go at once, else a promise that resolves when its turn has come.
   * Errors: `rate_limited` when too many wait already.
   */
  take(): Promise<void> | null;
}

/** Makes a token bucket on the clock. Calls above the rate wait their turn; the queue is bounded. */
export function createRateLimit({ name, clock, perSecond, burst, waitingMaximum }: RateLimitOptions): RateLimit {
  const waiting: (() => void)[] = [];
  let tokens = burst;
  let filledAtMs = clock.nowMs();
  let isTimerSet = false;

  const refill = (): void => {
    const nowMs = clock.nowMs();
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * perSecond) / 1_000);
    filledAtMs = nowMs;
  };
  const admit = (): void => {
    isTimerSet = false;
    refill();
    while (tokens >= 1) {
      const next = waiting.shift();
      if (next === undefined) return;
      tokens -= 1;
      next();
    }
    if (waiting.length > 0) wake();
  };
  const wake = (): void => {
    if (isTimerSet) return;
    isTimerSet = true;
    clock.after(Math.max(1, Math.ceil(((1 - tokens) * 1_000) / perSecond)), admit);
  };
  return {
    take() {
      refill();
      if (tokens >= 1 && waiting.length === 0) {
        tokens -= 1;
        return null;
      }
      if (waiting.length >= waitingMaximum) {
        throw new AppError('rate_limited', `${waiting.length} calls wait for their turn: ${name}`, { retryable: true, retryAfterMs: Math.ceil((waiting.length * 1_000) / perSecond) });
      }
      const turn = new Promise<void>((resolve) => waiting.push(resolve));
      wake();
      return turn;
    },
  };
}
