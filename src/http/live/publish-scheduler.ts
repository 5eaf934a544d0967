import { API } from '../../../config/limits/api.ts';
import type { Clock, Timer } from '../../ports/clock.ts';

/**
 * Spreads rounds of writes over turns of the event loop, so that no order waits behind a crowd of
 * readers.
 */
export interface PublishScheduler {
  /**
   * Asks for a round: after API.socketGatherMs, API.socketFlushMs after the last one began, and
   * when it can be paid for.
   */
  request(): void;
  /** Ends the running round and those asked for. */
  close(): void;
}

/** What rounds write. */
export interface Rounds {
  /**
   * Returns how many sockets a round would write to if it began now; 0 when there is nothing to
   * write.
   */
  cost(): number;
  /**
   * Runs one round: each step writes in a turn of its own and gives how many sockets it wrote to.
   */
  run(): Iterator<number, void>;
}

/**
 * Creates the scheduler. All rounds together write to API.socketWritesPerSecond sockets a second
 * once API.socketWritesBurst were written to. What a round costs is saved before it begins, up to
 * the burst: its readers hear the same bytes in turns that follow one another, while they are new.
 */
export function createPublishScheduler(clock: Clock, rounds: Rounds): PublishScheduler {
  let credit: number = API.socketWritesBurst;
  let creditAtMs = clock.nowMs();
  let beganAtMs = Number.NEGATIVE_INFINITY;
  let running: Iterator<number, void> | null = null;
  let timer: Timer | null = null;

  function stepOnce(needed: number): void {
    const waitMs = (Math.max(0, needed - credit) * 1_000) / API.socketWritesPerSecond;
    timer = clock.after(Math.ceil(waitMs), step);
  }

  function step(): void {
    timer = null;
    earn();
    if (running === null) {
      const needed = Math.min(API.socketWritesBurst, rounds.cost());
      if (credit < needed) return stepOnce(needed);
      beganAtMs = clock.nowMs();
      running = rounds.run();
    }
    const written = running.next();
    if (written.done !== true) {
      credit -= written.value;
      return stepOnce(0);
    }
    running = null;
    if (rounds.cost() > 0) request();
  }

  function earn(): void {
    const nowMs = clock.nowMs();
    const earned = ((nowMs - creditAtMs) * API.socketWritesPerSecond) / 1_000;
    credit = Math.min(API.socketWritesBurst, credit + earned);
    creditAtMs = nowMs;
  }

  function request(): void {
    if (running !== null || timer !== null) return;
    const paceMs = beganAtMs + API.socketFlushMs - clock.nowMs();
    timer = clock.after(Math.max(API.socketGatherMs, paceMs), step);
  }

  return {
    request,
    close() {
      timer?.cancel();
      running = null;
    },
  };
}
