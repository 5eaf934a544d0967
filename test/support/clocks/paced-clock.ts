import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';

/** A clock that runs by itself. */
export interface PacedClock extends VirtualClock {
  /** From now on it rests also while another process is late to answer what it is asked. */
  restWith(answer: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

/** Between two steps, ms of the wall, and the most of it that one of them makes up for. */
const STEP_WALL_MS = 2;
const STEP_MAXIMUM_WALL_MS = 5;
/** Whoever has not answered in this gets no turn either, ms of the wall. */
const ANSWER_WALL_MS = 25;
/** Between two checks of what is waited for, ms of the clock. */
const CHECK_MS = 50;

/**
 * Starts a clock `speed` times as fast as life, for what is written for one that is advanced: to
 * advance it is to wait. Worlds with processes of their own, such as a node of a chain, cannot rest
 * between steps. Where this process gets no turn the clock rests with it, so that a busy
 * machine lets no time-out pass.
 */
export function startPacedClock(startMs: number, speed: number): PacedClock {
  const clock = createVirtualClock(startMs, { speed });
  const state = { isRunning: true };
  let ask: (() => Promise<unknown>) | null = null;
  let asked: { readonly atMs: number; readonly answered: Promise<void> } | null = null;
  /** Asks anew after each answer; a refusal is one, and comes where the other has ended. */
  const heard = async (): Promise<void> => {
    if (asked !== null) {
      if (performance.now() - asked.atMs > ANSWER_WALL_MS) await asked.answered;
      return;
    }
    if (ask === null) return;
    const over = (): void => {
      asked = null;
    };
    asked = { atMs: performance.now(), answered: ask().then(over, over) };
  };
  const run = async (): Promise<void> => {
    let lastMs = performance.now();
    while (state.isRunning) {
      await new Promise((resolve) => setTimeout(resolve, STEP_WALL_MS));
      await heard();
      const nowMs = performance.now();
      const passedMs = Math.min(nowMs - lastMs, STEP_MAXIMUM_WALL_MS);
      lastMs = nowMs;
      await clock.advance(Math.max(1, Math.round(passedMs * speed)));
    }
  };
  const ended = run();
  const passed = (ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(Math.max(0, ms), resolve));
  const advanceUntil = async (isDone: () => boolean, maximumMs: number): Promise<boolean> => {
    const untilMs = clock.nowMs() + maximumMs;
    while (!isDone()) {
      if (clock.nowMs() >= untilMs) return false;
      await passed(CHECK_MS);
    }
    return true;
  };
  return {
    ...clock,
    advance: passed,
    advanceTo: (atMs) => passed(atMs - clock.nowMs()),
    advanceUntil,
    runUntilIdle: (maximumMs) => advanceUntil(() => false, maximumMs),
    settle: () => passed(0),
    restWith(answer) {
      ask = answer;
    },
    async stop() {
      state.isRunning = false;
      await ended;
    },
  };
}
