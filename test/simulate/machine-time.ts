import { TimerQueue } from '../../src/adapters/clock/timer-queue.ts';
import type { WallReading } from '../../src/adapters/clock/wall-clock.ts';
import { CATCH_UP_RATE, createWallReading } from '../../src/adapters/clock/wall-clock.ts';
import type { Clock, Timer } from '../../src/ports/clock.ts';

/** The clock of the machine the house runs on: it can be set wrong, and what counts steadily in it cannot. */
export interface MachineTime {
  /** Sets the wall clock ahead, or back for less than nothing. */
  step(stepMs: number): void;
  /** The daemon's own clock, read anew by each process; its timers are those of `process`. */
  startClock(process: Clock): HouseClock;
}

/** The clock of one process, and what the truth is about it. */
export interface HouseClock {
  readonly clock: Clock;
  /** How the clock stands to the world's at this moment. */
  moment(): ClockMoment;
}

/** What was true of a clock at one moment. */
export interface ClockMoment {
  /** The clock less the world's time. */
  readonly aheadMs: number;
  /** World's time since the clock last ran slow, and how much of its own time it then ran slow for; both 0 while it never did. */
  readonly sinceSlowMs: number;
  readonly slowMs: number;
}

/** Below this a clock is as good as the wall. */
const AHEAD_MS = 1;

/** The longest sleep of the daemon's timers: a clock that jumped ahead is noticed within it. */
const LONGEST_SLEEP_MS = 1_000;

/** Timers as the daemon's clock keeps them, on the time of the world in place of the machine's. */
function clockOf({ readMs, slowSinceMs }: WallReading, process: Clock): Clock {
  const queue = new TimerQueue();
  let sleep: { readonly dueMs: number; readonly timer: Timer } | null = null;

  function arm(): void {
    const dueMs = queue.nextDueMs();
    if (dueMs !== null && sleep !== null && sleep.dueMs <= dueMs) return;
    sleep?.timer.cancel();
    sleep = dueMs === null ? null : { dueMs, timer: process.after(Math.min(Math.max(0, Math.ceil(dueMs - readMs())), LONGEST_SLEEP_MS), wake) };
  }

  /** One timer a time: all that it sets off is through before the next. */
  function wake(): void {
    sleep = null;
    const due = queue.takeDue(readMs());
    try {
      due?.run();
    } finally {
      arm();
    }
  }

  return {
    nowMs: () => Math.floor(readMs()),
    slowSinceMs,
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

/** Makes the time of a machine in the world. */
export function createMachineTime(world: Clock): MachineTime {
  let offMs = 0;
  const followers = new Set<() => void>();
  const wallMs = (): number => world.nowMs() + offMs;
  return {
    step(stepMs) {
      // Whoever reads the clock all the time sees the step when it happens.
      followers.forEach((follow) => follow());
      offMs += stepMs;
      followers.forEach((follow) => follow());
    },
    startClock(process) {
      const clock = clockOf(createWallReading({ wallMs, steadyMs: () => world.nowMs() }), process);
      let slow = { fromMs: 0, untilMs: 0 };
      followers.add(() => {
        const aheadMs = clock.nowMs() - wallMs();
        const nowMs = world.nowMs();
        if (aheadMs > AHEAD_MS) slow = { fromMs: slow.untilMs > nowMs ? slow.fromMs : nowMs, untilMs: nowMs + aheadMs / (1 - CATCH_UP_RATE) };
        else if (slow.untilMs > nowMs) slow = { ...slow, untilMs: nowMs };
      });
      return {
        clock,
        moment: () => ({
          aheadMs: clock.nowMs() - world.nowMs(),
          sinceSlowMs: slow.untilMs === 0 ? 0 : Math.max(0, world.nowMs() - slow.untilMs),
          slowMs: (Math.min(slow.untilMs, world.nowMs()) - slow.fromMs) * CATCH_UP_RATE,
        }),
      };
    },
  };
}
