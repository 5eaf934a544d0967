import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { everyTick, pacedStep } from '../../src/sandbox/ticks.ts';
import { hashedNormal, hashedUniform, streamOf } from '../../src/sandbox/hashed-chance.ts';
import { RateBucket } from '../../src/sandbox/feeds/rate-bucket.ts';

describe('ticks', () => {
  it.each([
    ['as it is at the pace of the wall', 1, 250, 250],
    ['at least a tenth of a second of wall time', 10, 250, 1_000],
    ['in whole steps', 10, 400, 1_200],
    ['a second of the market at most, or prices would be stale', 60, 250, 1_000],
  ])('have a step drawn out for readers: %s', (_, speed, stepMs, drawnOutMs) => {
    expect(pacedStep({ speed }, stepMs)).toBe(drawnOutMs);
  });

  it('give each second its delay after it began, and none once they are cancelled', async () => {
    const clock = createVirtualClock(10_000);
    const seen: (readonly [number, number])[] = [];
    const timer = everyTick(clock, { stepMs: 1_000, delayMs: 1_152 }, (second) =>
      seen.push([second, clock.nowMs()]),
    );
    await clock.advance(3_000);
    timer.cancel();
    await clock.advance(3_000);
    expect(seen).toEqual([
      [9, 10_152],
      [10, 11_152],
      [11, 12_152],
    ]);
  });

  it('rest until they are woken, leave out what lies between, and keep to their moments', async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    const tick = everyTick(clock, { stepMs: 1_000, delayMs: 0 }, (second) => seen.push(second));
    await clock.advance(2_500);
    tick.rest();
    await clock.advance(3_000);
    expect(clock.pending).toBe(0);
    tick.wake();
    tick.wake();
    await clock.advance(2_000);
    expect(seen).toEqual([1, 2, 6, 7]);
    tick.rest();
    tick.cancel();
    tick.wake();
    await clock.advance(5_000);
    expect(seen).toEqual([1, 2, 6, 7]);
  });

  it('rest from within a tick', async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    const tick = everyTick(clock, { stepMs: 1_000, delayMs: 0 }, (second) => {
      seen.push(second);
      tick.rest();
    });
    await clock.advance(3_500);
    tick.wake();
    await clock.advance(3_000);
    expect(seen).toEqual([1, 4]);
  });

  it('leave out those without a subscriber', async () => {
    const clock = createVirtualClock(0);
    const seen: (readonly [number, number])[] = [];
    everyTick(
      clock,
      { stepMs: 250, delayMs: 0, firstFrom: (tick) => Math.ceil(tick / 4) * 4 },
      (slot) => seen.push([slot, clock.nowMs()]),
    );
    await clock.advance(3_200);
    expect(seen).toEqual([
      [4, 1_000],
      [8, 2_000],
      [12, 3_000],
    ]);
  });

  it('make up for missed seconds after a jump, up to ten', () => {
    let nowMs = 0;
    let run = (): void => undefined;
    const clock: Clock = {
      nowMs: () => nowMs,
      after: (_delayMs, wanted) => ((run = wanted), { cancel: () => undefined }),
    };
    const seen: number[] = [];
    everyTick(clock, { stepMs: 1_000, delayMs: 0 }, (second) => seen.push(second));
    nowMs = 3_000;
    run();
    nowMs = 60_000;
    run();
    expect(seen).toEqual([1, 2, 3, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
  });
});

describe('chance by hash', () => {
  it('is even, normal and unrelated between streams', () => {
    const count = 20_000;
    const [first, second] = [streamOf('a'), streamOf('b')];
    const draws = Array.from(
      { length: count },
      (_, index) =>
        [
          hashedUniform(1, first, index),
          hashedNormal(1, first, index),
          hashedNormal(1, second, index),
        ] as const,
    );
    const mean = (pick: (draw: (typeof draws)[number]) => number) =>
      draws.reduce((sum, draw) => sum + pick(draw), 0) / count;
    expect(mean(([uniform]) => uniform)).toBeCloseTo(0.5, 2);
    expect(mean(([, normal]) => normal)).toBeCloseTo(0, 1);
    expect(mean(([, normal]) => normal ** 2)).toBeCloseTo(1, 1);
    expect(Math.abs(mean(([, a, b]) => a * b))).toBeLessThan(0.03);
    expect(hashedUniform(1, first, 2 ** 40 + 1)).not.toBe(hashedUniform(1, first, 1));
  });
});

describe('rate bucket', () => {
  it('gives its burst at once and then its rate', async () => {
    const clock = createVirtualClock(0);
    const bucket = new RateBucket(clock, { perSecond: 2, burst: 3 });
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    await clock.advance(500);
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
    await clock.advance(60_000);
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
