import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Books } from '../../streams/book.ts';

/** What is looked at every `EVERY_MS` of real time. */
export interface SuperviseDeps {
  readonly wallClock: Clock;
  readonly serviceClock: Clock;
  /** Every book that is watched. */
  readonly books: Pick<Books, 'all'>;
  readonly metrics: Metrics;
  readonly log: Log;
  /**
   * Further work of the service, each on its own: a failure is logged and does not stop the others.
   */
  readonly periodicTasks: readonly { readonly name: string; run(): void }[];
}

const EVERY_MS = 2_000;
const NANOSECONDS_PER_SECOND = 1e9;

/**
 * Watches the service itself: event loop, books, periodic tasks. Gives the function that ends it.
 */
export function supervise(deps: SuperviseDeps): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let timer: Timer;
  const round = (): void => {
    deps.metrics.gauge('event_loop_delay_seconds', delay.percentile(99) / NANOSECONDS_PER_SECOND);
    delay.reset();
    gaugeBooks(deps);
    for (const task of deps.periodicTasks) {
      try {
        task.run();
      } catch (cause) {
        deps.log.error({ task: task.name, cause }, 'task.failed');
      }
    }
    timer = deps.wallClock.after(EVERY_MS, round);
  };
  timer = deps.wallClock.after(EVERY_MS, round);
  return () => {
    timer.cancel();
    delay.disable();
  };
}

/** Counts the books kept, those that may be traded on, and the age of the oldest. */
export function gaugeBooks({
  books,
  metrics,
  serviceClock,
}: Pick<SuperviseDeps, 'books' | 'metrics' | 'serviceClock'>): void {
  let trusted = 0;
  let oldestMs = 0;
  const all = books.all();
  for (const book of all) {
    if (book.distrust() === null) trusted += 1;
    oldestMs = Math.max(oldestMs, serviceClock.nowMs() - book.view().receivedAtMs);
  }
  metrics.gauge('books_watched', all.length);
  metrics.gauge('books_trusted', trusted);
  metrics.gauge('book_age_seconds', all.length === 0 ? 0 : oldestMs / 1_000);
}
