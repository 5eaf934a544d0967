import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoundView } from '../../../src/domain/signal.ts';
import { FIFTEEN_MIN_WINDOW, fifteenMinUpDown, fifteenMinUpOnly } from '../../../src/domain/strategy/fifteen-min.ts';
import { T0 } from '../../support/builders.ts';
import { aDownView, aPrediction, aPrice, aRoundView, aTop, observed } from '../../support/round-views.ts';

const QUARTER = { minutes: 15, endsAtMs: T0 + 900_000 } as const;

describe('the strategies of the 15-minute agents', () => {
  it.each([
    ['Up', fifteenMinUpDown, aRoundView(QUARTER), ['enter', 0]],
    ['Down', fifteenMinUpDown, aDownView(QUARTER), ['enter', 1]],
    ['Up', fifteenMinUpOnly, aRoundView(QUARTER), ['enter', 0]],
    ['Down', fifteenMinUpOnly, aDownView(QUARTER), ['skip', null]],
  ] as const)('follow the sign of prediction minus oracle price: %s', (_direction, judge, view, expected) => {
    const { verdict, outcome } = judge(view);
    expect([verdict, outcome]).toEqual(expected);
  });

  it('says that up only needs an up prediction', () => {
    expect(fifteenMinUpOnly(aDownView(QUARTER))).toEqual({
      verdict: 'skip', outcome: null,
      criteria: [{ name: 'predicted direction', value: 'Down', threshold: 'Up', passed: false }],
      reason: 'The prediction is Down, needed Up.',
    });
  });

  it('skips a prediction that equals the price', () => {
    expect(fifteenMinUpDown(aRoundView({ ...QUARTER, prediction: observed(aPrediction(70_070)) })).reason).toBe('The prediction is none, needed Up or Down.');
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['exchange price', { exchange: null }],
    ['prediction', { prediction: null }],
    ['Up book', { books: [null, null] }],
  ] as const)('L8: skips without a fresh %s and names it', (name, changes) => {
    expect(fifteenMinUpDown(aRoundView({ ...QUARTER, ...changes }))).toMatchObject({ verdict: 'skip', reason: `No decision without ${name}.` });
  });

  it.each([
    ['time in round', { atMs: T0 + FIFTEEN_MIN_WINDOW.closesAfterMs }],
    ['exchange and oracle apart', { exchange: observed(aPrice(69_000)) }],
    ['ask', { books: [aTop(9_850, 9_900), null] }],
  ] as const)('skips when only the %s fails', (name, changes) => {
    const { verdict, criteria } = fifteenMinUpDown(aRoundView({ ...QUARTER, ...changes }));
    expect([verdict, criteria.filter(({ passed }) => !passed).map((criterion) => criterion.name)]).toEqual(['skip', [name]]);
  });

  it('does not need a price to beat', () => {
    expect(fifteenMinUpDown(aRoundView({ ...QUARTER, strike: null, volatility: null, exchangeAtStart: null })).verdict).toBe('enter');
  });

  it('decides the mirrored prediction the mirrored way', () => {
    assert(property(integer({ min: 1, max: 500 }), integer({ min: 0, max: 899 }), constantFrom(4_000, 9_900), (usd, second, ask) => {
      const view = (predicted: number): RoundView => aRoundView({ ...QUARTER, atMs: T0 + second * 1_000, prediction: observed(aPrediction(70_070 + predicted)), books: [aTop(100, ask), aTop(100, ask)] });
      const up = fifteenMinUpDown(view(usd));
      const down = fifteenMinUpDown(view(-usd));
      expect(down.verdict).toBe(up.verdict);
      expect(down.outcome).toBe(up.outcome === null ? null : 1);
    }));
  });
});
