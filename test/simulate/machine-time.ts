import type { EventLoop, TurnWork } from '../../src/adapters/clock/real-timers.ts';
import { CATCH_UP_RATE, createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';

/**
 * The clock of the machine the service runs on: it can be set wrong, and what counts steadily in it
 * cannot.
 */
export interface MachineTime {
  /** Sets the wall clock ahead, or back for less than nothing. */
  step(stepMs: number): void;
  /** The daemon's own clock, read anew by each process; its timers are those of `process`. */
  startClock(process: Clock): ServiceClock;
}

/** The clock of one process, and what the truth is about it. */
interface ServiceClock {
  readonly clock: Clock;
  /** How the clock compares to the world's at this moment. */
  moment(): ClockMoment;
}

/** What was true of a clock at one moment. */
export interface ClockMoment {
  /** The clock less the world's time. */
  readonly aheadMs: number;
  /**
   * World's time since the clock last ran slow, and how much of its own time it then ran slow for;
   * both 0 while it never did.
   */
  readonly sinceSlowMs: number;
  readonly slowMs: number;
}

/** Below this a clock is as good as the wall. */
const AHEAD_MS = 1;

/**
 * The event loop of a process in the world. A turn is one timer of the world, and runs one of the
 * process: all that it sets off is through before the next.
 */
function loopOf(process: Clock): EventLoop {
  return {
    after: (delayMs, wake) => process.after(delayMs, wake),
    workTurn(work) {
      if (work.isWoken) workOnce(work);
      else process.after(0, () => workOnce(work));
    },
  };
}

function workOnce({ step, end }: TurnWork): void {
  try {
    step();
  } finally {
    end();
  }
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
      const clock = createWallClock({ wallMs, steadyMs: () => world.nowMs() }, loopOf(process));
      let slow = { fromMs: 0, untilMs: 0 };
      followers.add(() => {
        const aheadMs = clock.nowMs() - wallMs();
        const nowMs = world.nowMs();
        if (aheadMs > AHEAD_MS)
          slow = {
            fromMs: slow.untilMs > nowMs ? slow.fromMs : nowMs,
            untilMs: nowMs + aheadMs / (1 - CATCH_UP_RATE),
          };
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
