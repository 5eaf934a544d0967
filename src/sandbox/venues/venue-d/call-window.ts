import type { Clock } from '../../../ports/clock.ts';

/** The place of a call within the rule. */
export interface WindowPlace {
  readonly isGranted: boolean;
  /** Calls left in the window. */
  readonly remaining: number;
  /** When the oldest call of the window leaves it. */
  readonly resetAtMs: number;
}

/** So many calls in any span of a length (venue_d.md section 2), counted call by call. */
export class CallWindow {
  readonly #clock: Clock;
  readonly #calls: number;
  readonly #spanMs: number;
  #atMs: readonly number[] = [];

  constructor(
    clock: Clock,
    { calls, spanMs }: { readonly calls: number; readonly spanMs: number },
  ) {
    this.#clock = clock;
    this.#calls = calls;
    this.#spanMs = spanMs;
  }

  take(): WindowPlace {
    const nowMs = this.#clock.nowMs();
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < this.#spanMs);
    const isGranted = this.#atMs.length < this.#calls;
    if (isGranted) this.#atMs = [...this.#atMs, nowMs];
    return {
      isGranted,
      remaining: this.#calls - this.#atMs.length,
      resetAtMs: (this.#atMs[0] ?? nowMs) + this.#spanMs,
    };
  }
}
