import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { VenueId } from '../domain/ids.ts';
import { inWallTime, type Clock, type Timer } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Books } from '../../streams/book.ts';

/** A venue's books, as they are counted. */
interface VenueBooks {
  readonly venue: { readonly id: VenueId };
  readonly books: Pick<Books, 'all'>;
}

const EVERY_MS = 2_000;
const NANOSECONDS_PER_SECOND = 1e9;

/**
 * Watches the service every `EVERY_MS` of real time: event loop, books, periodic tasks. Gives the
 * function that ends it.
 */
export function supervise({
  metrics,
  log,
  wallClock,
  serviceClock,
  venues,
  periodicTasks,
}: Pick<Runtime, 'metrics' | 'log'> & {
  readonly wallClock: Clock;
  readonly serviceClock: Clock;
  /** Every venue with the books that are watched there. */
  readonly venues: readonly VenueBooks[];
  /**
   * Further work of the service, each on its own: a failure is logged and does not stop the others.
   */
  readonly periodicTasks: readonly { readonly name: string; run(): void }[];
}): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let timer: Timer;
  const round = (): void => {
    metrics.observe('event_loop_delay_seconds', delay.max / NANOSECONDS_PER_SECOND);
    delay.reset();
    gaugeBooks(venues, serviceClock, metrics);
    for (const task of periodicTasks) {
      try {
        task.run();
      } catch (cause) {
        log.error({ task: task.name, cause }, 'task.failed');
      }
    }
    timer = wallClock.after(EVERY_MS, round);
  };
  timer = wallClock.after(EVERY_MS, round);
  return () => {
    timer.cancel();
    delay.disable();
  };
}

/** Books are counted by how long nothing was heard of them: longer than each of these. */
const SILENCES = [
  { over: '5s', ms: 5_000 },
  { over: '30s', ms: 30_000 },
  { over: '300s', ms: 300_000 },
] as const;

/**
 * Counts the books kept at each venue, those that may be traded on, and those of which nothing was
 * heard for long: a quiet market is confirmed by REST and is not silent, a dead line is.
 */
export function gaugeBooks(
  venues: readonly VenueBooks[],
  serviceClock: Clock,
  metrics: Metrics,
): void {
  for (const { venue, books } of venues) {
    const all = books.all();
    const heard = all.map((book) => book.view().receivedAtMs);
    const nowMs = serviceClock.nowMs();
    metrics.gauge('books_watched', all.length, { venue: venue.id });
    const trusted = all.filter((book) => book.distrust() === null).length;
    metrics.gauge('books_trusted', trusted, { venue: venue.id });
    for (const { over, ms } of SILENCES) {
      const limitMs = inWallTime(serviceClock, ms);
      const silent = heard.filter((atMs) => atMs > 0 && nowMs - atMs > limitMs).length;
      metrics.gauge('books_silent', silent, { venue: venue.id, over });
    }
    const unheard = heard.filter((atMs) => atMs === 0).length;
    metrics.gauge('books_silent', unheard, { venue: venue.id, over: 'never' });
  }
}
