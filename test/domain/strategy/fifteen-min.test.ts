import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoundView } from '../../../src/domain/signal.ts';
import {
  FIFTEEN_MIN_WINDOW,
  fifteenMinUpDown,
  fifteenMinUpOnly,
  PREDICTION_AGE_MAXIMUM_MS,
} from '../../../src/domain/strategy/fifteen-min.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import { T0 } from '../../support/builders.ts';
import {
  aDownView,
  aPrediction,
  aPrice,
  aRoundView,
  aTop,
  observed,
} from '../../support/worlds/round-views.ts';

const QUARTER = { minutes: 15, endsAtMs: T0 + 900_000 } as const;

describe('the strategies of the 15-minute agents', () => {
  it.each([
    ['Up', fifteenMinUpDown, aRoundView(QUARTER), ['enter', 0]],
    ['Down', fifteenMinUpDown, aDownView(QUARTER), ['enter', 1]],
    ['Up', fifteenMinUpOnly, aRoundView(QUARTER), ['enter', 0]],
    ['Down', fifteenMinUpOnly, aDownView(QUARTER), ['skip', null]],
  ] as const)(
    'follow the sign of prediction minus oracle price: %s',
    (_direction, judge, view, expected) => {
      const { verdict, outcome } = judge(view);
      expect([verdict, outcome]).toEqual(expected);
    },
  );

  it('says why, with the baseline it reckoned from', () => {
    expect(fifteenMinUpDown(aRoundView(QUARTER))).toEqual({
      verdict: 'enter',
      outcome: 0,
      criteria: [
        { name: 'time in round', value: '60 s', threshold: 'from 5 s, before 300 s', passed: true },
        {
          name: 'exchange and oracle apart',
          value: '0.0028 %',
          threshold: 'at most 0.5000 %',
          passed: true,
        },
        {
          name: 'age of the prediction',
          value: '0 s',
          threshold: 'at most 150 s of the 300 s it speaks of',
          passed: true,
        },
        {
          name: 'predicted minus baseline price',
          value: '+50 USD, 0.0713 % of 70070 (Up)',
          threshold: 'above or below 0',
          passed: true,
        },
        { name: 'ask', value: '0.72', threshold: 'at most 0.98', passed: true },
      ],
      reason: 'All 5 criteria for Up are met.',
    });
  });

  it('says that up only needs an up prediction', () => {
    const { verdict, outcome, criteria, reason } = fifteenMinUpOnly(aDownView(QUARTER));
    expect([verdict, outcome, reason]).toEqual([
      'skip',
      null,
      'The prediction is Down, needed Up.',
    ]);
    expect(criteria.at(-1)).toEqual({
      name: 'predicted minus baseline price',
      value: '-50 USD, 0.0715 % of 69930 (Down)',
      threshold: 'above 0',
      passed: false,
    });
  });

  it('act on the smallest difference, either way, and on none at all never', () => {
    const predicted = (step: number) =>
      fifteenMinUpDown(
        aRoundView({
          ...QUARTER,
          prediction: observed({
            ...aPrediction(70_070),
            price: assetPriceE8(aPrice(70_070) + step),
          }),
        }),
      );
    expect([1, 0, -1].map((step) => predicted(step).outcome)).toEqual([0, null, 1]);
    expect(predicted(0).criteria.at(-1)).toEqual({
      name: 'predicted minus baseline price',
      value: '0 USD, 0.0000 % of 70070 (none)',
      threshold: 'above or below 0',
      passed: false,
    });
  });

  it.each([fifteenMinUpDown, fifteenMinUpOnly])(
    'act on a prediction of 150 s, and not on one a millisecond older',
    (judge) => {
      const aged = (ageMs: number) =>
        judge(
          aRoundView({
            ...QUARTER,
            atMs: T0 + 200_000,
            prediction: observed(aPrediction(70_120), T0 + 200_000 - ageMs),
          }),
        );
      expect([
        aged(PREDICTION_AGE_MAXIMUM_MS).verdict,
        aged(PREDICTION_AGE_MAXIMUM_MS + 1).verdict,
      ]).toEqual(['enter', 'skip']);
    },
  );

  it.each([fifteenMinUpDown, fifteenMinUpOnly])(
    'enter from the fifth second to the end of the fifth minute',
    (judge) => {
      const at = (ms: number) =>
        judge(
          aRoundView({
            ...QUARTER,
            atMs: T0 + ms,
            prediction: observed(aPrediction(70_120), T0 + ms),
          }),
        ).verdict;
      expect([4_999, 5_000, 299_999, 300_000].map(at)).toEqual(['skip', 'enter', 'enter', 'skip']);
    },
  );

  it('skips a prediction that equals the price', () => {
    expect(
      fifteenMinUpDown(aRoundView({ ...QUARTER, prediction: observed(aPrediction(70_070)) }))
        .reason,
    ).toBe('The prediction is none, needed Up or Down.');
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['exchange price', { exchange: null }],
    ['prediction', { prediction: null }],
    ['Up book', { books: [null, null] }],
  ] as const)('L8: skips without a fresh %s and names it', (name, changes) => {
    expect(fifteenMinUpDown(aRoundView({ ...QUARTER, ...changes }))).toMatchObject({
      verdict: 'skip',
      reason: `No decision without ${name}.`,
    });
  });

  it.each([
    [
      'time in round',
      {
        atMs: T0 + FIFTEEN_MIN_WINDOW.closesAfterMs,
        prediction: observed(aPrediction(70_120), T0 + 300_000),
      },
    ],
    ['exchange and oracle apart', { exchange: observed(aPrice(69_000)) }],
    ['ask', { books: [aTop(9_850, 9_900), null] }],
  ] as const)('skips when only the %s fails', (name, changes) => {
    const { verdict, criteria } = fifteenMinUpDown(aRoundView({ ...QUARTER, ...changes }));
    expect([
      verdict,
      criteria.filter(({ passed }) => !passed).map((criterion) => criterion.name),
    ]).toEqual(['skip', [name]]);
  });

  it('does not need a price to beat', () => {
    expect(
      fifteenMinUpDown(
        aRoundView({ ...QUARTER, strike: null, volatility: null, exchangeAtStart: null }),
      ).verdict,
    ).toBe('enter');
  });

  it('decides the mirrored prediction the mirrored way', () => {
    assert(
      property(
        integer({ min: 1, max: 500 }),
        integer({ min: 0, max: 899 }),
        constantFrom(4_000, 9_900),
        (usd, second, ask) => {
          const view = (predicted: number): RoundView =>
            aRoundView({
              ...QUARTER,
              atMs: T0 + second * 1_000,
              prediction: observed(aPrediction(70_070 + predicted)),
              books: [aTop(100, ask), aTop(100, ask)],
            });
          const up = fifteenMinUpDown(view(usd));
          const down = fifteenMinUpDown(view(-usd));
          expect(down.verdict).toBe(up.verdict);
          expect(down.outcome).toBe(up.outcome === null ? null : 1);
        },
      ),
    );
  });
});
