import type { Subscription } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';

/** A price source as its age is watched: null means absent or stale. */
export interface WatchedFeed {
  readonly feed: string;
  readonly readings: Observable<{ readonly sourceAtMs: number } | null>;
}

/** Ages of price feeds for the metrics. */
export interface FeedAges {
  /**
   * Sets `feed_age_seconds` of each feed: the age of the oldest of its newest values, counted on
   * though a feed is silent.
   */
  gauge(): void;
  stop(): void;
}

/**
 * Follows the feeds; this keeps their sources running as long as the daemon does, so that a first
 * agent finds them warm.
 */
export function followFeedAges({
  feeds,
  clock,
  metrics,
}: {
  readonly feeds: readonly WatchedFeed[];
  readonly clock: Clock;
  readonly metrics: Metrics;
}): FeedAges {
  const newestAtMs = feeds.map(() => clock.nowMs());
  const subscriptions: readonly Subscription[] = feeds.map(({ readings }, index) =>
    readings.subscribe((reading) => {
      if (reading !== null)
        newestAtMs[index] = Math.max(newestAtMs[index] ?? 0, reading.sourceAtMs);
    }),
  );
  return {
    gauge() {
      const oldest = new Map<string, number>();
      feeds.forEach(({ feed }, index) =>
        oldest.set(
          feed,
          Math.min(oldest.get(feed) ?? Number.POSITIVE_INFINITY, newestAtMs[index] ?? 0),
        ),
      );
      for (const [feed, atMs] of oldest)
        metrics.gauge('feed_age_seconds', Math.max(0, clock.nowMs() - atMs) / 1_000, { feed });
    },
    stop: () => subscriptions.forEach((subscription) => subscription.unsubscribe()),
  };
}
