import type { Clock, Timer } from '../../ports/clock.ts';

/** One line in which many wait for their turn. */
export interface PacedQueue {
  /**
   * Resolves when the turn has come; rejects when the signal is aborted first, whose place is then
   * free.
   */
  take(signal: AbortSignal): Promise<void>;
  readonly waiting: number;
  /** Ends the line: no turn comes any more. */
  stop(): void;
}

/**
 * Makes a line: first come, first served, one turn every `everyMs`, the first at once. Who has had
 * a turn waits behind all others: no caller is always last.
 */
export function createPacedQueue({
  clock,
  everyMs,
}: {
  readonly clock: Clock;
  readonly everyMs: number;
}): PacedQueue {
  const line = new Set<{ readonly go: () => void }>();
  let freeAtMs = clock.nowMs();
  let timer: Timer | null = null;

  function serve(): void {
    timer = null;
    const [first] = line;
    if (first === undefined) return;
    line.delete(first);
    freeAtMs = clock.nowMs() + everyMs;
    first.go();
    schedule();
  }

  function schedule(): void {
    if (timer === null && line.size > 0)
      timer = clock.after(Math.max(0, freeAtMs - clock.nowMs()), serve);
  }

  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        const place = { go: resolve };
        line.add(place);
        signal.addEventListener(
          'abort',
          () => {
            if (line.delete(place)) reject(new Error('the turn is no longer wanted'));
          },
          { once: true },
        );
        schedule();
      }),
    get waiting() {
      return line.size;
    },
    stop() {
      timer?.cancel();
      line.clear();
    },
  };
}
