import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import type { RoundView } from '../../../src/domain/signal.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import type { RoundJudge } from '../../../src/domain/strategy/round-judge.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { signalStrength } from '../../../src/domain/strategy/terms.ts';
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

const settings = defaultSettings({ agentId: 'btc_5min', rows: STRATEGIES.of('btc_5min') }, AGENT);

/**
 * The judge of a strategy that has seen `changes` of the round in every second of its first minute.
 */
function seasoned(strategy: string, changes: Partial<RoundView> = {}): RoundJudge {
  let judge = STRATEGIES.row('btc_5min', strategy)?.judgeFor(settings);
  if (judge === undefined) throw new Error(`no strategy ${strategy}`);
  // At a second of the first minute the same prices say less than at its end, so the calm of the
  // market is what is turned.
  for (let second = 0; second < 60; second += 1)
    judge = judge.after(aRoundView({ volatility: 0.00001, ...changes, atMs: T0 + second * 1_000 }));
  return judge;
}

const decide = (strategy: string, changes: Partial<RoundView> = {}) =>
  seasoned(strategy).judge(aRoundView({ volatility: 0.00001, ...changes }));

function failedIn(strategy: string, changes: Partial<RoundView>): readonly string[] {
  return decide(strategy, changes)
    .criteria.filter(({ passed }) => !passed)
    .map(({ name }) => name);
}

/**
 * The two neighbouring volatilities between which the strength of Up crosses `minimum`: the
 * sharpest a test can be.
 */
function aroundStrength(minimum: number): readonly [enough: number, tooLittle: number] {
  const strengthAt = (volatility: number): number =>
    signalStrength(aRoundView({ volatility }), 0) ?? 0;
  let [low, high] = [0.000_001, 0.01];
  for (
    let middle = (low + high) / 2;
    middle !== low && middle !== high;
    middle = (low + high) / 2
  ) {
    if (strengthAt(middle) >= minimum) low = middle;
    else high = middle;
  }
  return [low, high];
}

describe.each([
  ['up_down', 0.7, 270],
  ['confirmed_lead', 0.7, 270],
  ['limiter', 0.9, 240],
  ['inference_strike', 0.8, 240],
] as const)('the strategy %s', (strategy, minimum, closesAfterSeconds) => {
  it('enters Up when all speaks for it', () => {
    expect(decide(strategy)).toMatchObject({ verdict: 'enter', outcome: 0 });
    expect(decide(strategy).criteria.every(({ passed }) => passed)).toBe(true);
  });

  it(`enters at a signal strength of ${minimum * 100} percent and above, and not by the smallest step below`, () => {
    const [enough, tooLittle] = aroundStrength(minimum);
    expect(decide(strategy, { volatility: enough }).verdict).toBe('enter');
    expect(decide(strategy, { volatility: enough * 0.99 }).verdict).toBe('enter');
    expect(
      failedIn(strategy, { volatility: tooLittle }).filter(
        (name) => name !== 'evaluation windows in a row',
      ),
    ).toEqual(['signal strength Up']);
  });

  it(`enters until ${closesAfterSeconds} s into the round`, () => {
    const at = (ms: number) =>
      STRATEGIES.row('btc_5min', strategy)
        ?.judgeFor(settings)
        .judge(aRoundView({ atMs: T0 + ms }))
        .criteria.find(({ name }) => name === 'time in round')?.passed;
    expect([
      at(-1),
      at(0),
      at(closesAfterSeconds * 1_000 - 1),
      at(closesAfterSeconds * 1_000),
    ]).toEqual([false, true, true, false]);
  });

  it('needs exchange and oracle within half a percent of each other', () => {
    const oracle = observed(assetPriceE8(7_000_000_000_000));
    const strike = { price: aPrice(69_500), source: 'captured' } as const;
    const exchange = (e8: number) => ({
      oracle,
      strike,
      prediction: observed(aPrediction(70_100)),
      exchange: observed(assetPriceE8(e8)),
    });
    expect(failedIn(strategy, exchange(7_035_000_000_000))).toEqual([]);
    expect(failedIn(strategy, exchange(7_035_000_000_000 + 7_000_000))).toContain(
      'exchange and oracle apart',
    );
  });

  it('needs a prediction on the side of the exchange move, not one without a move', () => {
    const predicted = (e8: number) =>
      failedIn(strategy, {
        prediction: observed({ ...aPrediction(70_120), price: assetPriceE8(e8) }),
      }).filter((name) => name !== 'inference difference');
    const oracle = aPrice(70_070);
    expect(predicted(oracle + 1)).toEqual([]);
    expect(predicted(oracle)).toContain('inference direction');
    expect(predicted(oracle - 1)).toContain('inference direction');
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['exchange price', { exchange: null }],
    ['exchange price at start', { exchangeAtStart: null }],
    ['prediction', { prediction: null }],
    ['price to beat', { strike: null }],
    ['volatility', { volatility: null }],
  ] as const)('L8: skips without a fresh %s and names it', (name, changes) => {
    expect(decide(strategy, changes)).toMatchObject({
      verdict: 'skip',
      outcome: null,
      reason: `No decision without ${name}.`,
    });
  });

  it('writes each criterion as a value against its threshold', () => {
    for (const { name, value, threshold } of decide(strategy).criteria)
      expect([name, value, threshold].every((text) => text !== '')).toBe(true);
  });
});

describe('the inference difference', () => {
  const apart = (e8: number, strategy: string) =>
    decide(strategy, {
      oracle: observed(assetPriceE8(7_000_000_000_000)),
      strike: { price: aPrice(69_900), source: 'captured' },
      prediction: observed({ ...aPrediction(70_035), price: assetPriceE8(7_000_000_000_000 + e8) }),
    }).verdict;

  it('is asked of up_down alone: exactly x enters, a step less does not', () => {
    expect([
      apart(3_500_000_000, 'up_down'),
      apart(3_499_999_999, 'up_down'),
      apart(3_507_000_000, 'up_down'),
    ]).toEqual(['enter', 'skip', 'enter']);
    for (const strategy of ['confirmed_lead', 'limiter', 'inference_strike', 'max'])
      expect(apart(1, strategy)).toBe('enter');
  });
});

describe('the ask', () => {
  it('bounds strategies that buy at once, at 98 cents, and not those that bid 60', () => {
    for (const strategy of ['up_down', 'confirmed_lead']) {
      expect(failedIn(strategy, { books: [aTop(9_700, 9_800), null] })).toEqual([]);
      expect(failedIn(strategy, { books: [aTop(9_700, 9_801), null] })).toEqual(['ask']);
      expect(decide(strategy, { books: [null, aTop(100, 200)] }).reason).toBe(
        'No decision without Up book.',
      );
      expect(
        seasoned(strategy).judge(aDownView({ volatility: 0.00001, books: [aTop(100, 200), null] }))
          .reason,
      ).toBe('No decision without Down book.');
      expect(decide(strategy, { books: [aTop(9_700, null), null] }).criteria).toContainEqual({
        name: 'ask',
        value: 'none',
        threshold: 'at most 0.98',
        passed: false,
      });
    }
    for (const strategy of ['limiter', 'inference_strike', 'max'])
      expect(decide(strategy, { books: [null, null] }).verdict).toBe('enter');
  });
});

describe('a confirmed lead', () => {
  it('is the lead on the oracle, and says by how much', () => {
    expect(decide('confirmed_lead').criteria).toContainEqual({
      name: 'lead',
      value: 'Up by 0.1000 %',
      threshold: 'Up or Down',
      passed: true,
    });
    expect(seasoned('confirmed_lead').judge(aDownView({ volatility: 0.00001 }))).toMatchObject({
      verdict: 'enter',
      outcome: 1,
    });
  });

  it.each([
    [
      'the exchange has moved the other way',
      { exchangeAtStart: aPrice(70_100) },
      ['exchange move'],
    ],
    ['the exchange has not moved', { exchangeAtStart: aPrice(70_072) }, ['exchange move']],
    [
      'the prediction points back',
      { prediction: observed(aPrediction(70_060)) },
      ['inference direction'],
    ],
  ] as const)('is not confirmed while %s', (_case, changes, failed) => {
    expect(failedIn('confirmed_lead', changes)).toEqual(failed);
  });

  it('is absent while the oracle price is the price to beat', () => {
    expect(
      decide('confirmed_lead', { strike: { price: aPrice(70_070), source: 'venue' } }),
    ).toEqual({
      verdict: 'skip',
      outcome: null,
      criteria: [
        { name: 'time in round', value: '60 s', threshold: 'from 0 s, before 270 s', passed: true },
        { name: 'lead', value: 'none', threshold: 'Up or Down', passed: false },
      ],
      reason: 'The oracle price is the price to beat: nobody leads.',
    });
  });
});

describe('max', () => {
  const signals = (changes: Partial<RoundView>, judge = seasoned('max')) => {
    const { verdict, criteria, reason } = judge.judge(
      aRoundView({ volatility: 0.00001, ...changes }),
    );
    const word = (name: string) => criteria.find((criterion) => criterion.name === name)?.value;
    return [verdict, word('Limiter signal'), word('inference strike signal'), reason.split(':')[0]];
  };

  it('enters by either signal and shows both', () => {
    expect(signals({})).toEqual(['enter', 'yes', 'yes', 'Limiter']);
    expect(signals({ volatility: aroundStrength(0.85)[0] })).toEqual([
      'enter',
      'no',
      'yes',
      'Inference strike',
    ]);
    expect(signals({}, STRATEGIES.row('btc_5min', 'max')?.judgeFor(settings))).toEqual([
      'enter',
      'yes',
      'no',
      'Limiter',
    ]);
    expect(signals({ volatility: aroundStrength(0.75)[0] })).toEqual([
      'skip',
      'no',
      'no',
      'Limiter',
    ]);
  });

  it('needs one of the two, and says of each whether it was there', () => {
    const { criteria } = decide('max', { volatility: aroundStrength(0.85)[0] });
    expect(criteria.slice(0, 2)).toEqual([
      { name: 'Limiter signal', value: 'no', threshold: 'one of the two', passed: false },
      { name: 'inference strike signal', value: 'yes', threshold: 'one of the two', passed: true },
    ]);
  });

  it('keeps every criterion of both in its receipt', () => {
    const names = decide('max').criteria.map(({ name }) => name);
    expect(names).toEqual([
      'Limiter signal',
      'inference strike signal',
      'Limiter: time in round',
      'Limiter: exchange and oracle apart',
      'Limiter: signal strength Up',
      'Limiter: inference direction',
      'inference strike: time in round',
      'inference strike: exchange and oracle apart',
      'inference strike: signal strength Up',
      'inference strike: inference direction',
      'inference strike: evaluation windows in a row',
    ]);
  });
});

describe('properties of the 5-minute strategies', () => {
  const strategies = STRATEGIES.of('btc_5min').map(({ strategy }) => strategy);
  /**
   * A view with Up ahead by some cents, moved and predicted by some more, in a market of some
   * volatility.
   */
  const around = (
    leadCents: number,
    moveCents: number,
    predictedCents: number,
    volatility: number,
  ): RoundView =>
    aRoundView({
      volatility,
      oracle: observed(assetPriceE8(aPrice(70_000) + leadCents * 1_000_000)),
      exchange: observed(assetPriceE8(aPrice(70_000) + moveCents * 1_000_000)),
      exchangeAtStart: aPrice(70_000),
      prediction: observed({
        ...aPrediction(70_000),
        price: assetPriceE8(aPrice(70_000) + (leadCents + predictedCents) * 1_000_000),
      }),
    });
  const cents = integer({ min: -20_000, max: 20_000 });
  const calm = integer({ min: 1, max: 400 }).map((millionths) => millionths / 1_000_000);

  it.each(strategies)('%s: more strength never turns an entry into a skip', (strategy) => {
    const judge = seasoned(strategy);
    assert(
      property(cents, cents, cents, calm, calm, (lead, move, predicted, one, other) => {
        const [calmer, wilder] = one < other ? [one, other] : [other, one];
        const entered = judge.judge(around(lead, move, predicted, wilder));
        // Less volatility makes the side that leads likelier, and nothing else changes.
        const isLeading = entered.outcome === (lead > 0 ? 0 : 1);
        if (entered.verdict === 'enter' && isLeading)
          expect(judge.judge(around(lead, move, predicted, calmer))).toMatchObject({
            verdict: 'enter',
            outcome: entered.outcome,
          });
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(strategies)(
    '%s: enters only the side that leads, that the exchange has moved to and the network predicts',
    (strategy) => {
      const judge = seasoned(strategy);
      assert(
        property(cents, cents, cents, calm, (lead, move, predicted, volatility) => {
          const { verdict, outcome } = judge.judge(around(lead, move, predicted, volatility));
          if (verdict === 'enter')
            expect([lead, move, predicted].map((distance) => (distance > 0 ? 0 : 1))).toEqual([
              outcome,
              outcome,
              outcome,
            ]);
          else expect(outcome).toBeNull();
        }),
        { numRuns: 2_000 },
      );
    },
  );

  it('an entry by up_down is one by confirmed_lead, and one by limiter one by max', () => {
    const [upDown, confirmed, limited, both] = [
      seasoned('up_down'),
      seasoned('confirmed_lead'),
      seasoned('limiter'),
      seasoned('max'),
    ];
    assert(
      property(cents, cents, cents, calm, (lead, move, predicted, volatility) => {
        const view = around(lead, move, predicted, volatility);
        if (upDown.judge(view).verdict === 'enter')
          expect(confirmed.judge(view).verdict).toBe('enter');
        if (limited.judge(view).verdict === 'enter') expect(both.judge(view).verdict).toBe('enter');
      }),
      { numRuns: 2_000 },
    );
  });
});
