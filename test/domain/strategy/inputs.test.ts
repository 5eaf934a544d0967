import { describe, expect, it } from 'vitest';
import { decisionInputs, withoutStale } from '../../../src/domain/strategy/inputs.ts';
import { T0 } from '../../support/builders.ts';
import {
  aPrediction,
  aPrice,
  aRoundView,
  aTop,
  observed,
} from '../../support/worlds/round-views.ts';

const LIMITS = { oracleMs: 5_000, exchangeMs: 5_000, inferenceMs: 600_000, bookMs: 5_000 };
const NOW = T0 + 60_000;

describe('the inputs of a decision', () => {
  it('L8: are kept up to their limit and absent one millisecond later', () => {
    const view = aRoundView({ prediction: observed(aPrediction(70_120), NOW - 595_000) });
    expect(withoutStale(view, NOW + 5_000, LIMITS)).toEqual({ ...view, atMs: NOW + 5_000 });
    expect(withoutStale(view, NOW + 5_001, LIMITS)).toMatchObject({
      oracle: null,
      exchange: null,
      prediction: null,
      books: [null, null],
    });
  });

  it('L8: ages a price by its source time even when it has just arrived', () => {
    const late = { value: aPrice(70_000), sourceAtMs: NOW - 5_001, receivedAtMs: NOW };
    expect(withoutStale(aRoundView({ oracle: late }), NOW, LIMITS).oracle).toBeNull();
  });

  it('L8: does not take a price for younger than its arrival when the source clock runs ahead', () => {
    const early = { value: aPrice(70_000), sourceAtMs: NOW + 60_000, receivedAtMs: NOW - 5_001 };
    expect(withoutStale(aRoundView({ exchange: early }), NOW, LIMITS).exchange).toBeNull();
  });

  it('keeps a quiet book that was confirmed just now', () => {
    const quiet = { ...aTop(4_000, 4_100), sourceAtMs: T0 - 600_000, receivedAtMs: NOW };
    expect(withoutStale(aRoundView({ books: [quiet, null] }), NOW, LIMITS).books[0]).toBe(quiet);
  });

  it('L11: are listed with value, age and limit, absent ones without a value or age', () => {
    const view = aRoundView({
      atMs: NOW + 1_000,
      exchange: null,
      books: [aTop(7_000, null), null],
    });
    expect(decisionInputs(view, LIMITS)).toEqual([
      { name: 'oracle price', value: '70070', ageMs: 1_000, limitMs: 5_000 },
      { name: 'exchange price', value: null, ageMs: null, limitMs: 5_000 },
      { name: 'exchange price at start', value: '70001', ageMs: 61_000, limitMs: 300_000 },
      { name: 'prediction', value: '70120', ageMs: 1_000, limitMs: 600_000 },
      { name: 'price to beat', value: '70000 (captured)', ageMs: 61_000, limitMs: 300_000 },
      { name: 'volatility', value: '5.000e-5', ageMs: 1_000, limitMs: 5_000 },
      { name: 'Up book', value: '0.7 x 1000 / no ask', ageMs: 1_000, limitMs: 5_000 },
      { name: 'Down book', value: null, ageMs: null, limitMs: 5_000 },
    ]);
    const other = aRoundView({
      exchange: observed(aPrice(70_072), NOW - 500),
      exchangeAtStart: null,
      volatility: null,
      books: [null, aTop(null, 3_000, NOW - 2_000)],
    });
    const listed = decisionInputs(other, LIMITS).map(({ name, value, ageMs }) => [
      name,
      value,
      ageMs,
    ]);
    expect(listed).toEqual([
      ['oracle price', '70070', 0],
      ['exchange price', '70072', 500],
      ['exchange price at start', null, null],
      ['prediction', '70120', 0],
      ['price to beat', '70000 (captured)', 60_000],
      ['volatility', null, null],
      ['Up book', null, null],
      ['Down book', 'no bid / 0.3 x 1000', 2_000],
    ]);
  });
});
