import { describe, expect, it } from 'vitest';
import type { ForecastRow } from '../../../src/app/research/forecasts.ts';
import { middleOf } from '../../../src/app/research/forecasts.ts';
import { recalibrationOf } from '../../../src/app/research/recalibration.ts';
import { differenceOf, interval, scoresOf } from '../../../src/app/research/score-forecasts.ts';
import { splitByTime } from '../../../src/app/research/split.ts';
import { breakEvenPrice } from '../../../src/app/research/strategy-study.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { probabilityUp } from '../../../src/domain/probability.ts';
import { assetPriceE8, priceTicks, shareMicros } from '../../../src/domain/units.ts';

const row = (slug: string, changes: Partial<ForecastRow>): ForecastRow => ({ slug, startsAtMs: 0, secondsLeft: 60, happened: true, ours: null, question: null, market: null, ...changes });

describe('scores of recorded forecasts', () => {
  it('count only where the source spoke, and rounds once', () => {
    const scores = scoresOf([row('a', { ours: 0.8 }), row('a', { ours: 0.6 }), row('b', { ours: 0.5, happened: false }), row('c', {})], ({ ours }) => ours, 'test');
    expect([scores?.forecasts, scores?.rounds]).toEqual([3, 2]);
    expect(scores?.brier.estimate).toBeCloseTo((0.04 + 0.16 + 0.25) / 3, 12);
    expect(scoresOf([row('a', {})], ({ ours }) => ours, 'test')).toBeNull();
  });

  it('differ on the moments at which both spoke, below zero where ours is better', () => {
    const rows = [row('a', { ours: 0.9, market: 0.7 }), row('b', { ours: 0.1 }), row('c', { market: 0.1 })];
    expect(differenceOf(rows, 'test')?.brier.estimate).toBeCloseTo(0.01 - 0.09, 12);
    expect(differenceOf(rows.slice(1), 'test')).toBeNull();
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
    expect([split.splitMs, split.partOf(59), split.partOf(60)]).toEqual([60, 'in sample', 'out of sample']);
    expect(splitByTime([]).partOf(0)).toBe('in sample');
  });
});

describe('the market’s price', () => {
  it('is the middle of bid and ask; a missing bid is 0, a missing ask 1', () => {
    const level = (price: number) => ({ price: priceTicks(price), size: shareMicros(1) });
    const tops = (bid: number | null, ask: number | null) => middleOf({ tops: [{ bid: bid === null ? null : level(bid), ask: ask === null ? null : level(ask) }, { bid: null, ask: null }], buyPrices: [null, null] });
    expect([tops(4_000, 4_200), tops(null, 200), tops(9_900, null), tops(null, null)]).toEqual([0.41, 0.01, 0.995, null]);
  });
});

describe('the price that pays', () => {
  it.each([[1, 0.9999], [0.5, 0.4825], [0.0001, null]])('for a chance of %f is %s', (chance, price) => {
    expect(breakEvenPrice(chance)).toBe(price);
  });

  it('leaves the chance less price and fee just at or above zero', () => {
    const price = breakEvenPrice(0.7) ?? 0;
    const worth = (paid: number): number => 0.7 - paid - 0.07 * paid * (1 - paid);
    expect(worth(price)).toBeGreaterThanOrEqual(-1e-5);
    expect(worth(price + 0.0001)).toBeLessThan(0);
  });
});

describe('recalibration', () => {
  it('finds the factor by which the volatility was taken too small, and says what it is worth out of sample', () => {
    const random = createSeededRandom('recalibration');
    const rows = Array.from({ length: 4_000 }, (_value, index) => {
      const question = { price: assetPriceE8(6_500_000_000_000 + (random.integer(2_001) - 1_000) * 1e7), strike: assetPriceE8(6_500_000_000_000), volatility: 0.000_05, secondsLeft: 100 };
      const happened = random.integer(1_000_000) < probabilityUp({ ...question, volatility: 0.000_1 }) * 1_000_000;
      return row(String(index), { startsAtMs: index, question, ours: probabilityUp(question), happened });
    });
    const found = recalibrationOf(rows, splitByTime(rows.map(({ startsAtMs }) => startsAtMs)), 'test');
    expect(found?.stretchPercent).toBeGreaterThanOrEqual(180);
    expect(found?.stretchPercent).toBeLessThanOrEqual(220);
    expect(found?.stretched.logLoss.estimate).toBeLessThan(found?.plain.logLoss.estimate ?? 0);
  });
});
