import { describe, expect, it } from 'vitest';
import type { ForecastRow } from '../../../src/tools/research/forecasts.ts';
import { calibrationOf } from '../../../src/tools/research/calibration.ts';
import { middleOf } from '../../../src/domain/book.ts';
import { differenceOf, interval, scoresOf } from '../../../src/tools/research/score-forecasts.ts';
import { strongGapsOf } from '../../../src/tools/research/strong-gaps.ts';
import { splitByTime } from '../../../src/tools/research/split.ts';
import { breakEvenPrice } from '../../../src/tools/research/strategy-study.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';

const row = (slug: string, changes: Partial<ForecastRow>): ForecastRow => ({
  slug,
  startsAtMs: 0,
  secondsLeft: 60,
  happened: true,
  ours: null,
  question: null,
  market: null,
  ...changes,
});

describe('scores of recorded forecasts', () => {
  it('count only where the source spoke, and rounds once', () => {
    const scores = scoresOf(
      [
        row('a', { ours: 0.8 }),
        row('a', { ours: 0.6 }),
        row('b', { ours: 0.5, happened: false }),
        row('c', {}),
      ],
      ({ ours }) => ours,
      'test',
    );
    expect([scores?.forecasts, scores?.rounds]).toEqual([3, 2]);
    expect(scores?.brier.estimate).toBeCloseTo((0.04 + 0.16 + 0.25) / 3, 12);
    expect(scoresOf([row('a', {})], ({ ours }) => ours, 'test')).toBeNull();
  });

  it('differ on the moments at which both spoke, below zero where ours is better', () => {
    const rows = [
      row('a', { ours: 0.9, market: 0.7 }),
      row('b', { ours: 0.1 }),
      row('c', { market: 0.1 }),
    ];
    expect(differenceOf(rows, 'test')?.brier.estimate).toBeCloseTo(0.01 - 0.09, 12);
    expect(differenceOf(rows.slice(1), 'test')).toBeNull();
  });

  it('are resampled by hours, and by days only where there are five', () => {
    const hours = (count: number) =>
      Array.from({ length: count }, (_value, hour) =>
        row(String(hour), { startsAtMs: hour * 3_600_000, ours: hour % 2 === 0 ? 0.9 : 0.4 }),
      );
    expect(scoresOf(hours(96), ({ ours }) => ours, 'test')?.brierByDay).toBeNull();
    expect(scoresOf(hours(97), ({ ours }) => ours, 'test')?.brierByDay).not.toBeNull();
  });

  it('are resampled by rounds where there are fewer than ten hours to draw from', () => {
    const rows = (hours: number) =>
      Array.from({ length: 90 }, (_value, place) => {
        const hour = place % hours;
        return row(String(place), {
          startsAtMs: hour * 3_600_000,
          ours: hour % 2 === 0 ? 0.9 : 0.4,
        });
      });
    const widthOf = (hours: number): number => {
      const brier = scoresOf(rows(hours), ({ ours }) => ours, 'test')?.brier;
      return (brier?.high ?? 0) - (brier?.low ?? 0);
    };
    // Ninety rounds vary little, ten hours of nine equal rounds each three times as much.
    expect(widthOf(10) / widthOf(9)).toBeGreaterThan(2.5);
  });

  it('say how far strong forecasts of each source lie from what came true', () => {
    const rows = Array.from({ length: 100 }, (_value, place) =>
      row(String(place), {
        startsAtMs: place * 3_600_000,
        ours: 0.9,
        market: 0.7,
        happened: place % 10 < 8,
      }),
    );
    expect(
      strongGapsOf(rows, 'test').map(({ source, forecasts, gap }) => [
        source,
        forecasts,
        Math.round(gap.estimate * 1_000) + 0,
      ]),
    ).toEqual([
      ['our signal', 100, -100],
      ['mean of both', 100, 0],
      ['market price', 100, 100],
    ]);
  });

  it('have intervals that depend on their label and on no other figure', () => {
    const groups = Array.from({ length: 50 }, (_value, index) => [index % 3]);
    const first = interval(groups, 'one');
    interval(groups, 'two');
    expect(interval(groups, 'one')).toEqual(first);
    expect(interval(groups, 'two')).not.toEqual(first);
  });
});

describe('the split', () => {
  it('is by time: the first 60 of 100, and what begins with the last of them, are in sample', () => {
    const split = splitByTime([...Array(10).keys()].map((index) => index * 10).toReversed());
    expect([split.splitMs, split.partOf(59), split.partOf(60)]).toEqual([
      60,
      'in sample',
      'out of sample',
    ]);
    expect(splitByTime([]).partOf(0)).toBe('in sample');
  });

  it('leaves no day out of sample on which something was chosen or checked, wherever it lies', () => {
    const starts = [
      '2026-06-01',
      '2026-06-02',
      '2026-06-03',
      '2026-06-08',
      '2026-07-24',
      '2026-08-01',
    ].map((day) => Date.parse(day));
    const split = splitByTime(starts);
    expect(starts.map((startsAtMs) => split.partOf(startsAtMs))).toEqual([
      ...Array(5).fill('in sample'),
      'out of sample',
    ]);
  });
});

describe('the market’s price', () => {
  it('is the middle of bid and ask; a missing bid is 0, a missing ask 1', () => {
    const level = (price: number) => ({ price: priceTicks(price), size: shareMicros(1) });
    const tops = (bid: number | null, ask: number | null) =>
      middleOf({ bid: bid === null ? null : level(bid), ask: ask === null ? null : level(ask) });
    expect([tops(4_000, 4_200), tops(null, 200), tops(9_900, null), tops(null, null)]).toEqual([
      0.41,
      0.01,
      0.995,
      null,
    ]);
  });
});

describe('the price that pays', () => {
  it.each([
    [1, 0.9999],
    [0.5, 0.4825],
    [0.0001, null],
  ])('for a chance of %f is %s', (chance, price) => {
    expect(breakEvenPrice(chance)).toBe(price);
  });

  it('leaves the chance less price and fee just at or above zero', () => {
    const price = breakEvenPrice(0.7) ?? 0;
    const worth = (paid: number): number => 0.7 - paid - 0.07 * paid * (1 - paid);
    expect(worth(price)).toBeGreaterThanOrEqual(-1e-5);
    expect(worth(price + 0.0001)).toBeLessThan(0);
  });
});

describe('calibration by days', () => {
  const DAY_MS = 86_400_000;
  /** Forecasts stated `stated` of which `came` come true, on a day counted from 0. */
  const day = (
    index: number,
    stated: number,
    came: number,
    market: number | null = null,
  ): readonly ForecastRow[] =>
    Array.from({ length: 400 }, (_value, place) =>
      row(`${index}-${place}`, {
        startsAtMs: index * DAY_MS + place * 1_000,
        ours: stated,
        market,
        happened: place % 100 < came * 100,
      }),
    );

  it('judges each day by the factor that fits the others, not by its own', () => {
    const found = calibrationOf([...day(0, 0.9, 0.75), ...day(1, 0.9, 0.9), ...day(2, 0.9, 0.9)]);
    expect(
      found?.days.map(({ day, strong, shrunk }) => [day, strong?.cameTrue, shrunk?.factor]),
    ).toEqual([
      ['1970-01-01', 0.75, 1],
      ['1970-01-02', 0.9, 0.7],
      ['1970-01-03', 0.9, 0.7],
    ]);
    expect(found?.days[0]?.shrunk?.logLoss).toBeCloseTo(found?.days[0]?.logLoss ?? 0, 12);
  });

  it('finds the weight beside the market’s price on the other days', () => {
    const found = calibrationOf([
      ...day(0, 0.9, 0.7, 0.7),
      ...day(1, 0.9, 0.9, 0.7),
      ...day(2, 0.5, 0.5),
    ]);
    expect(found?.days.map(({ market }) => market?.fitted?.weight)).toEqual([1, 0, undefined]);
    expect(found?.days[0]?.market?.equalLogLoss).toBeGreaterThan(
      found?.days[0]?.market?.marketLogLoss ?? Infinity,
    );
  });

  it('has nothing to judge a single day by, and says when days are too few to fit', () => {
    const found = calibrationOf(day(0, 0.9, 0.8));
    expect([found?.days[0]?.shrunk, found?.isEnough]).toEqual([null, false]);
    expect(calibrationOf([0, 1, 2, 3, 4].flatMap((index) => day(index, 0.9, 0.8)))?.isEnough).toBe(
      true,
    );
    expect(calibrationOf([row('a', {})])).toBeNull();
  });
});
