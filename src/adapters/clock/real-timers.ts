import type { Clock } from '../../ports/clock.ts';
import { TimerQueue } from './timer-queue.ts';

/**
 * The longest native sleep. Bounded twice over: Node fires timers beyond 2^31 ms at once, and a clock that jumped ahead
 * (the machine slept, the time was set) must be noticed soon so that deadlines hold.
 */
const LONGEST_SLEEP_MS = 1_000;

/** Timers run in one turn of the event loop, the rest in the next: what each sets off goes on in the same turn, unseen from here. */
const TIMERS_PER_TURN = 16;

/**
 * Builds a clock that runs its timers in real time from `readMs`, which gives this clock's time, never falling, and
 * `scale`, how many of its milliseconds pass in a real one. A timer never runs before its moment on this clock. A callback
 * that throws ends up as an uncaught exception; later timers stay armed.
 */
export function createRealTimers(readMs: () => number, scale: number): Clock {
  const queue = new TimerQueue();
  let sleep: { readonly dueMs: number; stop(): void } | null = null;

  function arm(): void {
    const dueMs = queue.nextDueMs();
    if (dueMs === null) {
      sleep?.stop();
      sleep = null;
      return;
    }
    if (sleep !== null && sleep.dueMs <= dueMs) return;
    sleep?.stop();
    const realMs = (dueMs - readMs()) / scale;
    if (realMs <= 0) {
      const immediate = setImmediate(wake);
      sleep = { dueMs, stop: () => clearImmediate(immediate) };
    } else {
      const timeout = setTimeout(wake, Math.min(Math.ceil(realMs), LONGEST_SLEEP_MS));
      sleep = { dueMs, stop: () => clearTimeout(timeout) };
    }
  }

  function wake(): void {
    sleep = null;
    const nowMs = readMs();
    // Timers set by the ones that run now wait for the next turn: `after(0)` lets input and output in.
    const mark = queue.mark();
    try {
      for (let run = 0; run < TIMERS_PER_TURN; run += 1) {
        const due = queue.takeDue(nowMs, mark);
        if (due === null) return;
        due.run();
      }
    } finally {
      arm();
    }
  }

  return {
    nowMs: () => Math.floor(readMs()),
    after(delayMs, run) {
      const timer = queue.add(readMs() + Math.max(0, delayMs), run);
      arm();
      return {
        cancel() {
          timer.cancel();
          arm();
        },
      };
    },
  };
}
