import type { Subscription, Observable } from 'rxjs';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';

/** A price source as its age is watched: null means absent or stale. */
export interface WatchedFeed {
  readonly feed: string;
  readonly readings: Observable<{
    readonly sourceAtMs: number;
    readonly receivedAtMs: number;
  } | null>;
}

/** Ages of price feeds for the metrics. */
export interface FeedAges {
  /**
   * Sets `feed_age_seconds` of each feed: the age of the oldest of its newest values, counted on
   * though a feed is silent. Observes of each the longest lag since the last call: how long after
   * its source's time a value came.
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
  const longestLagMs = feeds.map(() => -1);
  const subscriptions: readonly Subscription[] = feeds.map(({ readings }, index) =>
    readings.subscribe((reading) => {
      if (reading === null) return;
      const { sourceAtMs, receivedAtMs } = reading;
      newestAtMs[index] = Math.max(newestAtMs[index] ?? 0, sourceAtMs);
      longestLagMs[index] = Math.max(longestLagMs[index] ?? -1, receivedAtMs - sourceAtMs, 0);
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
      feeds.forEach(({ feed }, index) => {
        const lagMs = longestLagMs[index] ?? -1;
        longestLagMs[index] = -1;
        if (lagMs >= 0)
          metrics.observe('feed_lag_seconds', lagMs / (clock.speed ?? 1) / 1_000, { feed });
      });
      for (const [feed, atMs] of oldest)
        metrics.gauge('feed_age_seconds', Math.max(0, clock.nowMs() - atMs) / 1_000, { feed });
    },
    stop: () => subscriptions.forEach((subscription) => subscription.unsubscribe()),
  };
}
