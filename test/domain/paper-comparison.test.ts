import { describe, expect, it } from 'vitest';
import {
  NO_COMPARISON,
  slippageOf,
  withPair,
  type Pair,
  type PairSide,
} from '../../src/domain/paper-comparison.ts';

const side = (shares: number, usdc: number, feesUsdc = 0, realisedUsdc = 0): PairSide => ({
  shares,
  usdc,
  feesUsdc,
  realisedUsdc,
});
const UNFILLED = side(0, 0);

describe('the slippage of an entry', () => {
  it.each<[string, Pair, number | null]>([
    ['is what real cost more', { live: side(10, 60), paper: side(10, 50) }, 10],
    ['is below zero where real was cheaper', { live: side(10, 40), paper: side(10, 50) }, -10],
    [
      'goes by the shares bought for real, paper’s part rounded down',
      { live: side(3, 20), paper: side(7, 50) },
      -1,
    ],
    ['is null where real bought nothing', { live: UNFILLED, paper: side(10, 50) }, null],
    ['is null where paper bought nothing', { live: side(10, 60), paper: UNFILLED }, null],
    ['is null without a shadow run', { live: side(10, 60), paper: null }, null],
  ])('%s', (_what, pair, expected) => {
    expect(slippageOf(pair)).toBe(expected);
  });
});

describe('the comparison of live entries with their shadow runs', () => {
  const both: Pair = { live: side(10, 60, 3, 40), paper: side(10, 50, 2, 45) };
  const liveOnly: Pair = { live: side(4, 20, 1, -20), paper: UNFILLED };
  const paperOnly: Pair = { live: UNFILLED, paper: side(5, 30, 7, 11) };
  const alone: Pair = { live: side(2, 9, 5, 13), paper: null };

  it('adds up entries, fills, slippage of those that both filled, fees and profit', () => {
    const sum = [both, liveOnly, paperOnly, alone, paperOnly].reduce(
      (total, pair) => withPair(total, null, pair),
      NO_COMPARISON,
    );
    expect(sum).toEqual({
      entries: 5,
      liveFilled: 3,
      paperFilled: 3,
      bothFilled: 1,
      slippageUsdc: 10,
      comparedShares: 10,
      liveFeesUsdc: 9,
      paperFeesUsdc: 16,
      liveRealisedUsdc: 33,
      paperRealisedUsdc: 67,
    });
  });

  it.each([both, liveOnly, paperOnly, alone])(
    'has a pair once, as it is now, whatever it was before: %o',
    (before) => {
      const others = withPair(withPair(NO_COMPARISON, null, both), null, paperOnly);
      for (const now of [both, liveOnly, paperOnly, alone])
        expect(withPair(withPair(others, null, before), before, now)).toEqual(
          withPair(others, null, now),
        );
    },
  );
});
