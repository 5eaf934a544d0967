import { SURFACE } from '../../../config/limits.ts';
import type { Clock, Timer } from '../../ports/clock.ts';

/**
 * Lets groups of readers be written to in turn: one group in a turn of the event loop, and all together SURFACE.socketWritesPerSecond
 * sockets a second once SURFACE.socketWritesBurst were written to, so that no order waits behind a crowd of readers.
 */
export interface WriteTurns {
  /** Runs `write` when its turn comes, at once where it may; `write` gives how many sockets it wrote to. */
  take(write: () => number): void;
  /** Drops what still waits. */
  close(): void;
}

/** Makes the turns. Each group waits once at most, so what waits is bounded by the groups. */
export function createWriteTurns(clock: Clock): WriteTurns {
  const waiting: (() => number)[] = [];
  let credit: number = SURFACE.socketWritesBurst;
  let creditAtMs = clock.nowMs();
  /** Runs from one write until the next may follow, in a later turn of the event loop. */
  let pause: Timer | null = null;

  function next(): void {
    pause = null;
    const write = waiting.shift();
    if (write === undefined) return;
    const nowMs = clock.nowMs();
    credit =
      Math.min(
        SURFACE.socketWritesBurst,
        credit + ((nowMs - creditAtMs) * SURFACE.socketWritesPerSecond) / 1_000,
      ) - write();
    creditAtMs = nowMs;
    pause = clock.after(
      Math.ceil((Math.max(0, -credit) * 1_000) / SURFACE.socketWritesPerSecond),
      next,
    );
  }

  return {
    take(write) {
      waiting.push(write);
      if (pause === null) next();
    },
    close() {
      pause?.cancel();
      waiting.length = 0;
    },
  };
}
