import type { Clock } from '../../ports/clock.ts';

/** A token bucket on a clock: `burst` calls at once, `perSecond` on the long run. */
export class RateBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(
    clock: Clock,
    { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  ) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = clock.nowMs();
  }

  /** Takes one call; false when they are used up. */
  take(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond,
    );
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
