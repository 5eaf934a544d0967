import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { Clock, Timer } from '../src/ports/clock.ts';

/**
 * Drives RxJS by the clock port, so that streams run on wall, virtual and scaled time alike (L10).
 */
export function clockScheduler(clock: Clock): SchedulerLike {
  return {
    now: () => clock.nowMs(),
    schedule: (work, delayMs = 0, state) => new ClockAction(clock, work).schedule(state, delayMs),
  };
}

type Work<T> = (this: SchedulerAction<T>, state: T) => void;

/**
 * One piece of scheduled work. It may schedule itself again from inside, which replaces the timer
 * that has run.
 */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #clock: Clock;
  readonly #work: Work<T>;
  #timer: Timer | null = null;

  constructor(clock: Clock, work: Work<T>) {
    super(() => this.#timer?.cancel());
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delayMs = 0): Subscription {
    if (this.closed) return this;
    this.#timer?.cancel();
    this.#timer = this.#clock.after(delayMs, () => {
      this.#timer = null;
      // work gets back the state it was scheduled with; without one its T admits undefined
      this.#work(state as T);
      // Work that did not schedule itself again is done: its parent need not keep it.
      if (this.#timer === null) this.unsubscribe();
    });
    return this;
  }
}
