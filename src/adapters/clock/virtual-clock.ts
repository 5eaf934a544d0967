import { assert } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { TimerQueue } from './timer-queue.ts';

/** A clock that rests until it is advanced: tests and replays run on it (L10). */
export interface VirtualClock extends Clock {
  /** Timers that wait. */
  readonly pending: number;
  /** Passes `ms`, running timers in order. Promise chains settle before, between and after them. */
  advance(ms: number): Promise<void>;
  /** Passes the time up to `atMs`; nothing happens when it lies in the past. */
  advanceTo(atMs: number): Promise<void>;
  /**
   * Goes from timer to timer until `isDone`; false when `maximumMs` passed first, or no timer was
   * left.
   */
  advanceUntil(isDone: () => boolean, maximumMs: number): Promise<boolean>;
  /**
   * Goes from timer to timer until none waits; false when `maximumMs` passed first, as it must with
   * repeating timers.
   */
  runUntilIdle(maximumMs: number): Promise<boolean>;
  /** Lets promise chains settle without any time passing, timers due now included. */
  settle(): Promise<void>;
}

/** Makes a virtual clock that shows `startMs`. One caller at a time moves it. */
export function createVirtualClock(
  startMs: number,
  {
    timersPerTurn = 1,
    speed = 1,
  }: {
    /**
     * Timers run in one turn of the event loop, 1 unless stated. Promise chains settle between them
     * in either case; sockets, files and threads are only heard between turns. A run that touches
     * none of those is faster with many.
     */
    readonly timersPerTurn?: number;
    /** How many of its milliseconds count as one of the wall's; 1 unless stated. */
    readonly speed?: number;
  } = {},
): VirtualClock {
  assert(
    Number.isSafeInteger(startMs),
    `a virtual clock starts at a whole millisecond, not ${startMs}`,
  );
  assert(
    Number.isSafeInteger(timersPerTurn) && timersPerTurn > 0,
    `a turn runs at least one timer, not ${timersPerTurn}`,
  );
  const queue = new TimerQueue();
  let nowMs = startMs;
  let isMoving = false;

  /** Runs timers up to `untilMs`; true when `isDone` ended it. */
  async function move(untilMs: number, isDone: () => boolean): Promise<boolean> {
    assert(!isMoving, 'two callers move one virtual clock');
    isMoving = true;
    try {
      await settlePromises();
      return await inTurns(timersPerTurn, () => {
        if (isDone()) return true;
        const due = queue.takeDue(untilMs);
        if (due === null) return false;
        nowMs = Math.max(nowMs, due.dueMs);
        due.run();
        return null;
      });
    } finally {
      isMoving = false;
    }
  }

  async function advanceTo(atMs: number): Promise<void> {
    await move(atMs, never);
    nowMs = Math.max(nowMs, atMs);
    await settlePromises();
  }

  return {
    speed,
    get pending() {
      return queue.size;
    },
    nowMs: () => nowMs,
    after: (delayMs, run) => queue.add(nowMs + Math.max(0, Math.ceil(delayMs)), run),
    advance: (ms) => advanceTo(nowMs + ms),
    advanceTo,
    advanceUntil: (isDone, maximumMs) => move(nowMs + maximumMs, isDone),
    runUntilIdle: async (maximumMs) => {
      await move(nowMs + maximumMs, never);
      return queue.size === 0;
    },
    settle: async () => {
      await move(nowMs, never);
    },
  };
}

function never(): boolean {
  return false;
}

/**
 * All microtasks run before the event loop comes to an immediate, so every chain of settled
 * promises is through.
 */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Steps until one has a result, `perTurn` in a turn of the event loop. Each step is an immediate of
 * its own: between any two of them all microtasks run, in one turn as well as across turns. What a
 * step throws ends the walk.
 */
function inTurns<T>(perTurn: number, step: () => T | null): Promise<T> {
  return new Promise((resolve, reject) => {
    let waiting: NodeJS.Immediate[] = [];
    let isOver = false;
    const end = (): void => {
      isOver = true;
      waiting.forEach(clearImmediate);
    };
    const once = (): void => {
      try {
        const result = step();
        if (result === null) return;
        end();
        resolve(result);
      } catch (cause) {
        end();
        reject(cause);
      }
    };
    const lastOfTurn = (): void => {
      once();
      // Only now: what the step put off to the next turn comes before the next step.
      if (!isOver) fill();
    };
    const fill = (): void => {
      waiting = Array.from({ length: perTurn }, (_, index) =>
        setImmediate(index === perTurn - 1 ? lastOfTurn : once),
      );
    };
    fill();
  });
}
