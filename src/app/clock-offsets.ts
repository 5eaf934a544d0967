import { CLOCK_OFFSET } from '../../config/limits/figures.ts';
import type { VenueId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';

/** A clock that ours is compared with. */
interface ClockSource {
  readonly id: VenueId;
  /** Epoch ms. */
  readClock?(): Promise<number>;
}

/**
 * Makes the periodic task that asks each venue that tells its time for it, every
 * CLOCK_OFFSET.intervalMs, and shows how far ours is ahead of it, taken at the middle of the
 * question. One that does not answer is asked once at a time and keeps its last figure.
 */
export function createClockOffsets({
  sources,
  clock,
  wallClock,
  metrics,
  log,
}: Pick<Runtime, 'metrics' | 'log'> & {
  readonly sources: readonly ClockSource[];
  /** The markets' time, which venues tell. */
  readonly clock: Clock;
  readonly wallClock: Clock;
}): () => void {
  let dueAtMs = wallClock.nowMs();
  let asked = 0;

  async function compare({ id, readClock }: ClockSource): Promise<void> {
    if (readClock === undefined) return;
    asked += 1;
    try {
      const sentAtMs = clock.nowMs();
      const theirsMs = await readClock();
      const oursMs = (sentAtMs + clock.nowMs()) / 2;
      metrics.gauge('clock_offset_seconds', (oursMs - theirsMs) / (clock.speed ?? 1) / 1_000, {
        source: id,
      });
    } catch (cause) {
      log.debug({ source: id, cause }, 'clock.not_compared');
    } finally {
      asked -= 1;
    }
  }

  return () => {
    if (asked > 0 || wallClock.nowMs() < dueAtMs) return;
    dueAtMs = wallClock.nowMs() + CLOCK_OFFSET.intervalMs;
    for (const source of sources) void compare(source);
  };
}
