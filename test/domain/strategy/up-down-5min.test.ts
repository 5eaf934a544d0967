import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoundView } from '../../../src/domain/signal.ts';
import { FIVE_MIN_MARKET_WINDOW, upDown5Min } from '../../../src/domain/strategy/up-down-5min.ts';
import { probabilityUp } from '../../../src/domain/probability.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import {
  aDownView,
  aPrediction,
  aPrice,
  aRoundView,
  aTop,
  observed,
} from '../../support/worlds/round-views.ts';
import { T0 } from '../../support/builders.ts';

const X = { inferenceDifferenceMicros: 500 };

function failed(view: RoundView): readonly string[] {
  return upDown5Min(X, view)
    .criteria.filter(({ passed }) => !passed)
    .map(({ name }) => name);
}

describe('the up/down strategy of the 5-minute agent', () => {
  it('enters Up, and says why, when strength, agreement and difference are there', () => {
    expect(upDown5Min(X, aRoundView())).toEqual({
      verdict: 'enter',
      outcome: 0,
      criteria: [
        { name: 'time in round', value: '60 s', threshold: 'from 0 s, before 270 s', passed: true },
        {
          name: 'exchange and oracle apart',
          value: '0.0028 %',
          threshold: 'at most 0.5000 %',
          passed: true,
        },
        { name: 'signal strength Up', value: '84.7 %', threshold: 'at least 70.0 %', passed: true },
        {
          name: 'inference direction',
          value: 'Up',
          threshold: 'Up, as the exchange moved',
          passed: true,
        },
        {
          name: 'inference difference',
          value: '0.0713 %',
          threshold: 'at least 0.0500 %',
          passed: true,
        },
        { name: 'ask', value: '0.72', threshold: 'at most 0.98', passed: true },
      ],
      reason: 'All 6 criteria for Up are met.',
    });
  });

  it('enters Down when everything speaks for Down', () => {
    const decision = upDown5Min(X, aDownView());
    expect([decision.verdict, decision.outcome]).toEqual(['enter', 1]);
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['exchange price', { exchange: null }],
    ['exchange price at start', { exchangeAtStart: null }],
    ['prediction', { prediction: null }],
    ['price to beat', { strike: null }],
    ['volatility', { volatility: null }],
    ['Up book', { books: [null, aTop(2_800, 3_000)] }],
  ] as const)('L8: skips without a fresh %s and names it', (name, changes) => {
    expect(upDown5Min(X, aRoundView(changes))).toEqual({
      verdict: 'skip',
      outcome: null,
      criteria: [
        {
          name: 'inputs',
          value: `missing: ${name}`,
          threshold: 'all present and fresh',
          passed: false,
        },
      ],
      reason: `No decision without ${name}.`,
    });
  });

  it('names every missing input at once', () => {
    expect(upDown5Min(X, aRoundView({ oracle: null, prediction: null })).reason).toBe(
      'No decision without oracle price, prediction.',
    );
  });

  it.each([
    ['time in round', { atMs: T0 + FIVE_MIN_MARKET_WINDOW.closesAfterMs }],
    ['time in round', { atMs: T0 - 1 }],
    ['exchange and oracle apart', { exchange: observed(aPrice(70_500)) }],
    ['signal strength Up', { volatility: 0.0002 }],
    ['inference difference', { prediction: observed(aPrediction(70_105)) }],
    ['ask', { books: [aTop(9_800, 9_900), null] }],
    ['ask', { books: [aTop(9_800, null), null] }],
    ['exchange move', { exchange: observed(aPrice(70_001)) }],
  ] as const)('skips when only the %s fails', (name, changes) => {
    expect(failed(aRoundView(changes))).toEqual([name]);
    expect(upDown5Min(X, aRoundView(changes))).toMatchObject({ verdict: 'skip', outcome: null });
  });

  it('skips when the inference network disagrees with the exchange', () => {
    expect(failed(aRoundView({ prediction: observed(aPrediction(70_000)) }))).toEqual([
      'inference direction',
    ]);
  });

  it('skips when the strength lies on the other side of the exchange move', () => {
    expect(failed(aRoundView({ exchangeAtStart: aPrice(70_100) }))).toContain(
      'signal strength Down',
    );
  });

  it('takes a strength of exactly the threshold and an inference difference of exactly x', () => {
    const view = aRoundView({
      oracle: observed(assetPriceE8(7_000_000_000_000)),
      prediction: observed(aPrediction(70_035)),
      strike: { price: aPrice(69_900), source: 'venue' },
    });
    expect(upDown5Min({ inferenceDifferenceMicros: 500 }, view).verdict).toBe('enter');
    expect(upDown5Min({ inferenceDifferenceMicros: 501 }, view).verdict).toBe('skip');
  });

  it('decides the mirrored round the mirrored way', () => {
    assert(
      property(
        integer({ min: -300, max: 300 }),
        integer({ min: -300, max: 300 }),
        integer({ min: -200, max: 200 }),
        integer({ min: 0, max: 299 }),
        (oracleUsd, exchangeUsd, predictedUsd, second) => {
          const view = around(oracleUsd, exchangeUsd, predictedUsd, second);
          const mirror = around(-oracleUsd, -exchangeUsd, -predictedUsd, second);
          if (isBorderline(view) || isBorderline(mirror)) return;
          const decision = upDown5Min(X, view);
          const mirrored = upDown5Min(X, mirror);
          expect(mirrored.verdict).toBe(decision.verdict);
          expect(mirrored.outcome).toBe(decision.outcome === null ? null : 1 - decision.outcome);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

/** A round with prices some USD around a price to beat of 70 000, and equal books. */
function around(
  oracleUsd: number,
  exchangeUsd: number,
  predictedUsd: number,
  second: number,
): RoundView {
  return aRoundView({
    atMs: T0 + second * 1_000,
    oracle: observed(aPrice(70_000 + oracleUsd)),
    exchange: observed(aPrice(70_000 + exchangeUsd)),
    exchangeAtStart: aPrice(70_000),
    prediction: observed(aPrediction(70_000 + oracleUsd + predictedUsd)),
    books: [aTop(4_900, 5_000), aTop(4_900, 5_000)],
  });
}

/**
 * Reflection at the price to beat is exact in differences but not in ratios: thresholds hit within
 * that error prove nothing.
 */
function isBorderline(view: RoundView): boolean {
  if (
    view.oracle === null ||
    view.prediction === null ||
    view.volatility === null ||
    view.strike === null
  )
    return true;
  const up = probabilityUp({
    price: view.oracle.value,
    strike: view.strike.price,
    volatility: view.volatility,
    secondsLeft: (view.endsAtMs - view.atMs) / 1_000,
  });
  const difference = Math.abs(view.prediction.value.price - view.oracle.value) / view.oracle.value;
  return (
    Math.abs(up - 0.7) < 0.01 ||
    Math.abs(up - 0.3) < 0.01 ||
    Math.abs(difference - 0.0005) < 0.00001
  );
}
