import type { Clock, Timer } from '../../ports/clock.ts';
import { TimerQueue } from './timer-queue.ts';
import { workTurn, type TurnBounds } from './worked-turn.ts';

/**
 * The longest native sleep. Bounded twice over: Node fires timers beyond 2^31 ms at once, and a
 * clock that jumped ahead (the machine slept, the time was set) must be noticed soon so that
 * deadlines hold.
 */
const LONGEST_SLEEP_MS = 1_000;

/**
 * What timers may take of one turn of the event loop, with all they set off in settled promises:
 * input and output wait for it.
 */
const TURN: TurnBounds = { stepsMaximum: 16, workMs: 2 };

/** What timers run in: the event loop of this process, or one of a modelled world. */
export interface EventLoop {
  /** Calls `wake` after so many real ms. */
  after(delayMs: number, wake: () => void): Timer;
  /**
   * Works in the next turn, or in this one when `wake` has just been called: `step` until it says
   * false or the turn has had its share, then `end`, once.
   */
  workTurn(work: TurnWork): void;
}

/** What is to be done in a turn, in `stepsMaximum` steps at most. */
export interface TurnWork {
  readonly step: () => boolean;
  readonly end: () => void;
  readonly stepsMaximum: number;
  readonly isWoken: boolean;
}

const OWN_LOOP: EventLoop = {
  after(delayMs, wake) {
    const timeout = setTimeout(wake, delayMs);
    return { cancel: () => clearTimeout(timeout) };
  },
  workTurn: ({ step, end, stepsMaximum }) => workTurn(step, end, { ...TURN, stepsMaximum }),
};

/**
 * Builds a clock that runs its timers in real time from `readMs`, which gives this clock's time,
 * never falling, and `scale`, how many of its milliseconds pass in a real one. A timer never runs
 * before its moment on this clock. A callback that throws ends up as an uncaught exception; later
 * timers stay armed. They run in the event loop of this process unless another is given.
 */
export function createRealTimers(
  readMs: () => number,
  scale: number,
  loop: EventLoop = OWN_LOOP,
): Clock {
  const queue = new TimerQueue();
  let sleep: { readonly dueMs: number; readonly timer: Timer } | null = null;
  let isWorking = false;
  /**
   * Timers set by the ones that run in a turn wait for the next: `after(0)` lets input and output
   * in.
   */
  let turn: { readonly nowMs: number; readonly mark: number } | null = null;

  function arm(): void {
    const dueMs = queue.nextDueMs();
    if (isWorking || (dueMs !== null && sleep !== null && sleep.dueMs <= dueMs)) return;
    sleep?.timer.cancel();
    sleep = null;
    if (dueMs === null) return;
    const realMs = (dueMs - readMs()) / scale;
    if (realMs <= 0) work(false);
    else sleep = { dueMs, timer: loop.after(Math.min(Math.ceil(realMs), LONGEST_SLEEP_MS), wake) };
  }

  function wake(): void {
    sleep = null;
    work(true);
  }

  function work(isWoken: boolean): void {
    isWorking = true;
    loop.workTurn({
      step: runNext,
      end: endTurn,
      stepsMaximum: Math.max(1, Math.min(TURN.stepsMaximum, queue.size)),
      isWoken,
    });
  }

  function runNext(): boolean {
    turn ??= { nowMs: readMs(), mark: queue.mark() };
    const due = queue.takeDue(turn.nowMs, turn.mark);
    due?.run();
    return due !== null;
  }

  function endTurn(): void {
    isWorking = false;
    turn = null;
    arm();
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
