import { describe, expect, it } from 'vitest';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../src/domain/errors.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createPredictions } from '../../streams/inference.ts';
import { createFakeInference, usd } from '../support/fakes/fake-feeds.ts';

const START_MS = 10_000_000;

/** Without `draw` waits are drawn by a seed; else each is the largest allowed up to it. */
function setUp(draw: number | null = null) {
  const clock = createVirtualClock(START_MS);
  const inference = createFakeInference(clock);
  const failures: unknown[] = [];
  const predictions = createPredictions({
    inference,
    random:
      draw === null
        ? createSeededRandom(1)
        : {
            integer: (bound) => Math.min(draw, bound - 1),
            bytes: (count) => new Uint8Array(count),
          },
    scheduler: clockScheduler(clock),
    onFailed: (_, __, cause) => failures.push(cause),
  });
  const seen: (number | null)[] = [];
  const gaps = () =>
    inference.askedAtMs.slice(1).map((atMs, index) => atMs - (inference.askedAtMs[index] ?? 0));
  return { clock, inference, predictions, failures, seen, gaps };
}

describe('createPredictions', () => {
  it('polls every ten to fifteen seconds, never in step', async () => {
    const { clock, inference, predictions, gaps } = setUp();
    inference.predict(100, START_MS);
    const reader = predictions.latest('BTC', '5m').subscribe();
    await clock.advance(300_000);
    expect(gaps().every((gapMs) => gapMs >= 10_000 && gapMs <= 15_000)).toBe(true);
    expect(new Set(gaps()).size).toBeGreaterThan(10);
    reader.unsubscribe();
    await clock.advance(2_001);
    expect(clock.pending).toBe(0);
  });

  it('waits fifteen seconds at most', async () => {
    const { clock, inference, predictions, gaps } = setUp(Infinity);
    inference.predict(100, START_MS);
    predictions.latest('BTC', '5m').subscribe();
    await clock.advance(45_000);
    expect(gaps()).toEqual([15_000, 15_000, 15_000]);
  });

  it('waits twice as long after each failure, up to the longest, and as usual after the next answer', async () => {
    const { clock, inference, predictions, gaps } = setUp(0);
    predictions.latest('BTC', '5m').subscribe();
    await clock.advance(190_000);
    inference.predict(100, START_MS);
    await clock.advance(70_000);
    expect(gaps()).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 10_000]);
  });

  it('polls once for all readers', async () => {
    const { clock, inference, predictions, seen } = setUp();
    inference.predict(100, START_MS);
    for (let reader = 0; reader < 3; reader += 1)
      predictions
        .latest('BTC', '5m')
        .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.settle();
    expect(inference.askedAtMs).toHaveLength(1);
    expect(seen.slice(-3)).toEqual([usd(100), usd(100), usd(100)]);
  });

  it('tells a value once, however often it is polled', async () => {
    const { clock, inference, predictions, seen } = setUp();
    inference.predict(100, START_MS);
    predictions
      .latest('BTC', '5m')
      .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.advance(60_000);
    inference.predict(101, START_MS + 60_000);
    await clock.advance(60_000);
    inference.predict(99, START_MS + 30_000);
    await clock.advance(60_000);
    expect(seen).toEqual([null, usd(100), usd(101)]);
  });

  it('L8: lets a value go ten minutes after the time it speaks of, though polls go on succeeding', async () => {
    const { clock, inference, predictions, seen } = setUp();
    inference.predict(100, START_MS - 100_000);
    predictions
      .latest('BTC', '5m')
      .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.advance(500_000);
    expect(seen).toEqual([null, usd(100)]);
    await clock.advance(1);
    expect(seen).toEqual([null, usd(100), null]);
  });

  it('keeps the value through failures, waits longer after each, and tells of them', async () => {
    const { clock, inference, predictions, failures, seen, gaps } = setUp();
    inference.predict(100, START_MS);
    predictions
      .latest('BTC', '5m')
      .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.advance(1);
    inference.fail(new AppError('venue_unavailable', '502', { retryable: true }));
    await clock.advance(400_000);
    expect(seen).toEqual([null, usd(100)]);
    expect(failures.length).toBe(inference.askedAtMs.length - 1);
    expect(gaps().at(-1)).toBe(60_000);
  });

  it('waits as long as the network asks', async () => {
    const { clock, inference, predictions, gaps } = setUp();
    inference.fail(new AppError('rate_limited', '429', { retryable: true, retryAfterMs: 45_000 }));
    predictions.latest('BTC', '5m').subscribe();
    await clock.advance(46_000);
    expect(gaps()).toEqual([45_000]);
  });

  it('asks again after ten minutes, however long the network asks it to wait', async () => {
    const { clock, inference, predictions, gaps } = setUp();
    inference.fail(
      new AppError('rate_limited', '429', { retryable: true, retryAfterMs: 999_999_000 }),
    );
    predictions.latest('BTC', '5m').subscribe();
    await clock.advance(601_000);
    expect(gaps()).toEqual([600_000]);
  });

  it('does not believe a prediction from the future', async () => {
    const { clock, inference, predictions, seen } = setUp();
    inference.predict(100, START_MS + 60_000);
    predictions
      .latest('BTC', '5m')
      .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.advance(10_000);
    expect(seen).toEqual([null]);
  });

  it('believes a prediction that is ahead by no more than clocks may differ', async () => {
    const { clock, inference, predictions, seen } = setUp();
    inference.predict(100, START_MS + FEEDS.futureMaximumMs);
    predictions
      .latest('BTC', '5m')
      .subscribe((prediction) => seen.push(prediction?.value.price ?? null));
    await clock.settle();
    expect(seen).toEqual([null, usd(100)]);
  });
});
