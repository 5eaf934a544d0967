import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exitJudge, judgeExit } from '../../../src/domain/strategy/exit.ts';
import { signalStrength } from '../../../src/domain/strategy/terms.ts';
import { T0 } from '../../support/builders.ts';
import { aDownView, aRoundMarket, aRoundView, aTop } from '../../support/worlds/round-views.ts';

const byMean = exitJudge({ signalWeightPercent: 50 });

describe('the exit of a held position', () => {
  it('prices holding by the market alone, however far the signal has turned', () => {
    expect(
      judgeExit(aDownView({ books: [aTop(2_200, 2_300), aTop(7_700, 7_800)] }), 0),
    ).toMatchObject({
      verdict: 'hold',
      criteria: [
        { name: 'time left', passed: true },
        { name: 'signal strength Up', value: '15.3 %', passed: true },
        {
          name: 'sale per share after fee',
          value: '0.20799 at 0.22',
          threshold: 'at least 0.235, a cent above the worth of holding',
          passed: false,
        },
      ],
    });
  });

  it('holds to the end: no bid pays more than the middle of its own book', () => {
    const market = aRoundMarket(1, { fee: null });
    assert(
      property(integer({ min: 1, max: 9_998 }), integer({ min: 1, max: 9_999 }), (bid, above) => {
        const ask = bid + above > 9_999 ? null : bid + above;
        const view = aDownView({ market, volatility: 0, books: [aTop(bid, ask), null] });
        expect(judgeExit(view, 0).verdict).toBe('hold');
      }),
    );
  });
});

describe('an exit that gives the signal half of the weight', () => {
  it('leaves when the signal has turned and the bid, less the fee, pays a cent more than the mean of the signal and the market’s price', () => {
    const decision = byMean(aDownView({ books: [aTop(2_200, 2_300), aTop(7_700, 7_800)] }), 0);
    expect(decision).toEqual({
      verdict: 'exit',
      outcome: 0,
      criteria: [
        { name: 'time left', value: '240 s', threshold: 'more than 10 s', passed: true },
        { name: 'signal strength Up', value: '15.3 %', threshold: 'at most 35.0 %', passed: true },
        {
          name: 'sale per share after fee',
          value: '0.20799 at 0.22',
          threshold: 'at least 0.198861, a cent above the worth of holding',
          passed: true,
        },
      ],
      reason: 'The signal has turned against Up and the bid pays more than holding.',
    });
  });

  it('reckons the fee of the market: the same bid without one pays more', () => {
    const market = aRoundMarket(1, { fee: null });
    expect(
      byMean(aDownView({ market, books: [aTop(1_600, 1_700), null] }), 0).criteria[2]?.value,
    ).toBe('0.16 at 0.16');
  });

  it('leaves at a strength of exactly 35 percent and below, and not by the smallest step above', () => {
    // With nothing held to be worth a sale but the strength: the bid pays far more than holding.
    const at = (volatility: number) =>
      byMean(aDownView({ volatility, books: [aTop(9_000, 9_100), null] }), 0);
    const strengthAt = (volatility: number): number =>
      signalStrength(aDownView({ volatility }), 0) ?? 1;
    let [calm, wild] = [0.000_001, 0.01];
    for (
      let middle = (calm + wild) / 2;
      middle !== calm && middle !== wild;
      middle = (calm + wild) / 2
    ) {
      if (strengthAt(middle) <= 0.35) calm = middle;
      else wild = middle;
    }
    expect([at(calm).verdict, at(wild).verdict]).toEqual(['exit', 'hold']);
  });

  it('asks for a whole cent above the worth of holding, not for a micro less', () => {
    // Without volatility Down has won for certain: holding Up is worth half of the market's price
    // alone, 0.02 with the bid of 0.0300.
    const market = aRoundMarket(1, { fee: null });
    const at = (bidTicks: number) =>
      byMean(aDownView({ market, volatility: 0, books: [aTop(bidTicks, 500), null] }), 0);
    expect([at(300).verdict, at(299).verdict]).toEqual(['exit', 'hold']);
    expect(at(299).reason).toContain('sale per share after fee is 0.0299 at 0.0299');
  });

  it('leaves with more than ten seconds left, and not with ten', () => {
    const at = (leftMs: number) =>
      byMean(aDownView({ atMs: T0 + 300_000 - leftMs, books: [aTop(8_000, 8_100), null] }), 0)
        .verdict;
    expect([at(10_001), at(10_000)]).toEqual(['exit', 'hold']);
  });

  it('leaves a Down position when the price has risen', () => {
    expect(
      byMean(aRoundView({ books: [aTop(7_900, 8_000), aTop(2_400, 2_500)] }), 1),
    ).toMatchObject({ verdict: 'exit', outcome: 1 });
  });

  it.each([
    ['the signal still speaks for it', aRoundView(), 'signal strength Up is 84.8 %'],
    [
      'the bid is below the worth of holding',
      aDownView({ books: [aTop(900, 1_000), null] }),
      'sale per share after fee is',
    ],
    [
      'there is no bid',
      aDownView({ books: [aTop(null, 1_000), null] }),
      'sale per share after fee is no bid',
    ],
    [
      'the round is about to end',
      aDownView({ atMs: T0 + 291_000, books: [aTop(1_600, 1_700), null] }),
      'time left is 9 s',
    ],
  ] as const)('holds while %s', (_case, view, reason) => {
    const decision = byMean(view, 0);
    expect([decision.verdict, decision.outcome, decision.reason.includes(reason)]).toEqual([
      'hold',
      0,
      true,
    ]);
  });

  it.each([
    ['oracle price', { oracle: null }],
    ['price to beat', { strike: null }],
    ['volatility', { volatility: null }],
  ] as const)('L8: holds without a fresh %s', (name, changes) => {
    expect(byMean(aDownView(changes), 0)).toEqual({
      verdict: 'hold',
      outcome: 0,
      criteria: [],
      reason: `Held without ${name}.`,
    });
  });

  it('L8: holds without a trusted book', () => {
    expect(byMean(aDownView({ books: [null, null] }), 0)).toEqual({
      verdict: 'hold',
      outcome: 0,
      criteria: [],
      reason: 'Held without a trusted Up book.',
    });
  });
});
