import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { followFeedAges } from '../../src/app/feed-ages.ts';
import type { Metrics } from '../../src/ports/metrics.ts';

interface Reading {
  readonly sourceAtMs: number;
  readonly receivedAtMs: number;
}

it('L8: counts the age of the oldest asset of a feed on, though the feed falls silent, and observes the longest lag of each round', async () => {
  const clock = createVirtualClock(100_000);
  const gauges = new Map<string, number>();
  const observed: (readonly [string, number])[] = [];
  const metrics: Metrics = {
    count: () => {},
    observe: (name, value, labels) => void observed.push([`${name} ${labels?.feed}`, value]),
    startTimer: () => () => {},
    beforeRead: () => {},
    gauge: (name, value, labels) => void gauges.set(`${name} ${labels?.feed}`, value),
  };
  const [btc, eth] = [new Subject<Reading | null>(), new Subject<Reading | null>()];
  const ages = followFeedAges({
    clock,
    metrics,
    feeds: [
      { feed: 'oracle', readings: btc },
      { feed: 'oracle', readings: eth },
    ],
  });
  btc.next({ sourceAtMs: 104_000, receivedAtMs: 104_250 });
  eth.next({ sourceAtMs: 100_000, receivedAtMs: 100_750 });
  eth.next({ sourceAtMs: 101_000, receivedAtMs: 101_100 });
  eth.next(null);
  await clock.advance(5_000);
  ages.gauge();
  ages.gauge();
  ages.stop();
  expect([gauges.get('feed_age_seconds oracle'), btc.observed]).toEqual([4, false]);
  expect(observed).toEqual([
    ['feed_lag_seconds oracle', 0.25],
    ['feed_lag_seconds oracle', 0.75],
  ]);
});
