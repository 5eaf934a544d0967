import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { followFeedAges } from '../../src/app/feed-ages.ts';
import type { Metrics } from '../../src/ports/metrics.ts';

it('L8: counts the age of the oldest asset of a feed on, though the feed falls silent', async () => {
  const clock = createVirtualClock(100_000);
  const gauges = new Map<string, number>();
  const metrics: Metrics = {
    count: () => {},
    observe: () => {},
    startTimer: () => () => {},
    gauge: (name, value, labels) => void gauges.set(`${name} ${labels?.feed}`, value),
  };
  const [btc, eth] = [
    new Subject<{ readonly sourceAtMs: number } | null>(),
    new Subject<{ readonly sourceAtMs: number } | null>(),
  ];
  const ages = followFeedAges({
    clock,
    metrics,
    feeds: [
      { feed: 'oracle', readings: btc },
      { feed: 'oracle', readings: eth },
    ],
  });
  btc.next({ sourceAtMs: 104_000 });
  eth.next({ sourceAtMs: 101_000 });
  eth.next(null);
  await clock.advance(5_000);
  ages.gauge();
  ages.stop();
  expect([gauges.get('feed_age_seconds oracle'), btc.observed]).toEqual([4, false]);
});
