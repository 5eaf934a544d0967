import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Criterion } from '../../../src/domain/agent.ts';
import { endCriterion } from '../../../src/domain/farming/screen.ts';
import { FARM_VENUE_A } from '../../../src/domain/farming/venues.ts';
import type { RoundView } from '../../../src/domain/signal.ts';
import { judgeExit } from '../../../src/domain/strategy/exit.ts';
import { fifteenMinUpDown } from '../../../src/domain/strategy/fifteen-min.ts';
import { judgeResting } from '../../../src/domain/strategy/resting.ts';
import { strengthCriterion, windowCriterion } from '../../../src/domain/strategy/terms.ts';
import { FIVE_MIN_MARKET_WINDOW } from '../../../src/domain/strategy/up-down-5min.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { T0 } from '../../support/builders.ts';
import { aPrediction, aRoundView, aTop, observed } from '../../support/worlds/round-views.ts';

/** What a person would say who reads nothing but the receipt. */
function readsAsPassed({ value, threshold }: Criterion): boolean {
  const said = seconds(value);
  const bound = (word: RegExp): number | null => {
    const found = word.exec(threshold)?.[1];
    return found === undefined ? null : seconds(found);
  };
  const [least, most, above, below] = [
    /(?:at least|from) ([\d.]+ \S+)/,
    /at most ([\d.]+ \S+)/,
    /(?:more than|above) ([\d.]+ \S+)/,
    /before ([\d.]+ \S+)/,
  ].map(bound);
  return (
    (least === null || said >= (least ?? 0)) &&
    (most === null || said <= (most ?? 0)) &&
    (above === null || said > (above ?? 0)) &&
    (below === null || said < (below ?? 0))
  );
}

/** A number with its unit, in seconds where the unit is one of time. */
function seconds(text: string): number {
  const [number = '', unit = ''] = text.split(' ');
  return Number(number) * ({ min: 60, h: 3_600 }[unit.replace(',', '')] ?? 1);
}

/** Around a threshold, in the finest steps there are. */
const near = (middle: number, around: number) =>
  integer({ min: middle - around, max: middle + around });
const view = (changes: Partial<RoundView>): RoundView =>
  aRoundView({ books: [aTop(9_000, 9_100), aTop(9_000, 9_100)], ...changes });
const named = (criteria: readonly Criterion[], name: string): Criterion => {
  const found = criteria.find((criterion) => criterion.name.startsWith(name));
  if (found === undefined) throw new Error(`no criterion ${name}`);
  return found;
};

describe('L11: a criterion reads as it was judged, however near to its threshold', () => {
  it.each<[string, number, (at: number) => Criterion]>([
    [
      'the first second of a window',
      0,
      (at) =>
        windowCriterion(aRoundView({ atMs: T0 + at }), { opensAfterMs: 0, closesAfterMs: 270_000 }),
    ],
    [
      'the last second of a window',
      270_000,
      (at) => windowCriterion(aRoundView({ atMs: T0 + at }), FIVE_MIN_MARKET_WINDOW),
    ],
    [
      'the age of a prediction',
      150_000,
      (at) =>
        named(
          fifteenMinUpDown(
            view({
              minutes: 15,
              endsAtMs: T0 + 900_000,
              atMs: T0 + 200_000,
              prediction: observed(aPrediction(70_120), T0 + 200_000 - at),
            }),
          ).criteria,
          'age',
        ),
    ],
    [
      'the last seconds for an exit',
      10_000,
      (at) => named(judgeExit(view({ atMs: T0 + 300_000 - at }), 1).criteria, 'time left'),
    ],
    [
      'the soonest end of a farmed market',
      300_000,
      (at) => endCriterion(T0 + at, FARM_VENUE_A.filters, T0),
    ],
    [
      'the latest end of one without an assessment',
      14 * 86_400_000,
      (at) => endCriterion(T0 + at, FARM_VENUE_A.strictFilters, T0),
    ],
  ])('%s', (_what, threshold, judge) => {
    assert(
      property(near(threshold, 60_000), (at) => {
        const criterion = judge(at);
        expect([criterion, readsAsPassed(criterion)]).toEqual([criterion, criterion.passed]);
      }),
      {
        numRuns: 1_000,
        examples: [[threshold - 1], [threshold], [threshold + 1], [threshold + 49]],
      },
    );
  });

  it.each([0.7, 0.8, 0.9])('a signal strength at %f', (minimum) => {
    assert(
      property(near(minimum * 1_000_000, 2_000), (micros) => {
        const criterion = strengthCriterion(0, micros / 1_000_000, minimum);
        expect([criterion, readsAsPassed(criterion)]).toEqual([criterion, criterion.passed]);
      }),
      { numRuns: 1_000, examples: [[minimum * 1_000_000 - 1], [minimum * 1_000_000]] },
    );
  });

  it('the strength of a held side and of a bid', () => {
    assert(
      property(integer({ min: 1, max: 20_000 }), (step) => {
        const seen = view({ volatility: step / 100_000_000 });
        const exit = named(judgeExit(seen, 1).criteria, 'signal strength');
        expect([exit, readsAsPassed(exit)]).toEqual([exit, exit.passed]);
        const bid = named(judgeResting(priceTicks(6_000))(seen, 0).criteria, 'signal strength');
        expect([bid, readsAsPassed(bid)]).toEqual([bid, bid.passed]);
      }),
      { numRuns: 2_000 },
    );
  });
});
