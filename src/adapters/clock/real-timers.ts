import type { Clock } from '../../ports/clock.ts';
import { TimerQueue } from './timer-queue.ts';
import type { TurnBounds } from './worked-turn.ts';
import { workTurn } from './worked-turn.ts';

/**
 * The longest native sleep. Bounded twice over: Node fires timers beyond 2^31 ms at once, and a clock that jumped ahead
 * (the machine slept, the time was set) must be noticed soon so that deadlines hold.
 */
const LONGEST_SLEEP_MS = 1_000;

/** What timers may take of one turn of the event loop, with all they set off in settled promises: input and output wait for it. */
const TURN: TurnBounds = { stepsMaximum: 16, workMs: 2 };

/**
 * Builds a clock that runs its timers in real time from `readMs`, which gives this clock's time, never falling, and
 * `scale`, how many of its milliseconds pass in a real one. A timer never runs before its moment on this clock. A callback
 * that throws ends up as an uncaught exception; later timers stay armed.
 */
export function createRealTimers(readMs: () => number, scale: number): Clock {
  const queue = new TimerQueue();
  let sleep: { readonly dueMs: number; readonly timeout: NodeJS.Timeout } | null = null;
  let isWorking = false;

  function arm(): void {
    const dueMs = queue.nextDueMs();
    if (isWorking || (dueMs !== null && sleep !== null && sleep.dueMs <= dueMs)) return;
    if (sleep !== null) clearTimeout(sleep.timeout);
    sleep = null;
    if (dueMs === null) return;
    const realMs = (dueMs - readMs()) / scale;
    if (realMs <= 0) work();
    else sleep = { dueMs, timeout: setTimeout(wake, Math.min(Math.ceil(realMs), LONGEST_SLEEP_MS)) };
  }

  function wake(): void {
    sleep = null;
    work();
  }

  function work(): void {
    isWorking = true;
    // Timers set by the ones that run now wait for the next turn: `after(0)` lets input and output in.
    let turn: { readonly nowMs: number; readonly mark: number } | null = null;
    const runNext = (): boolean => {
      turn ??= { nowMs: readMs(), mark: queue.mark() };
      const due = queue.takeDue(turn.nowMs, turn.mark);
      due?.run();
      return due !== null;
    };
    workTurn(runNext, () => {
      isWorking = false;
      arm();
    }, { ...TURN, stepsMaximum: Math.max(1, Math.min(TURN.stepsMaximum, queue.size)) });
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
