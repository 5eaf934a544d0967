import { expect, it } from 'vitest';
import { CLOCK_OFFSET } from '../../config/limits/figures.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createClockOffsets } from '../../src/app/clock-offsets.ts';
import { asId, type VenueId } from '../../src/domain/ids.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { createKeptLog } from '../support/quiet.ts';

it('shows how far our clock is ahead, by the middle of the question, asks again after its pause, and keeps the last figure of one that does not answer', async () => {
  const [clock, metrics, log] = [
    createVirtualClock(10_000),
    createCountingMetrics(),
    createKeptLog(),
  ];
  const theirs = [7_500, 20_000 + CLOCK_OFFSET.intervalMs];
  const compare = createClockOffsets({
    sources: [
      {
        id: asId<VenueId>('venue_a'),
        async readClock() {
          await new Promise<void>((resolve) => void clock.after(1_000, resolve));
          const atMs = theirs.shift();
          if (atMs === undefined) throw new Error('no answer');
          return atMs;
        },
      },
      { id: asId<VenueId>('venue_b') },
    ],
    clock,
    wallClock: clock,
    metrics,
    log,
  });
  const shown: (readonly [number, number | undefined])[] = [];
  for (const advanceMs of [0, 5_000, CLOCK_OFFSET.intervalMs, CLOCK_OFFSET.intervalMs]) {
    await clock.advance(advanceMs);
    compare();
    await clock.advance(1_000);
    shown.push([theirs.length, metrics.gauges['clock_offset_seconds source=venue_a']]);
  }
  expect(shown).toEqual([
    [1, 3],
    [1, 3],
    [0, -2.5],
    [0, -2.5],
  ]);
  expect(Object.keys(metrics.gauges)).toEqual(['clock_offset_seconds source=venue_a']);
  expect(log.lines.map(({ event }) => event)).toEqual(['clock.not_compared']);
});
