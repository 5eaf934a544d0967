import type { Interval } from '../../domain/evidence/interval.ts';

/** A figure that was measured on hours kept apart from this data, by whoever keeps them. */
export interface HeldOutFigure {
  readonly what: string;
  readonly data: string;
  /** UTC day, `YYYY-MM-DD`, on which it was measured. */
  readonly measuredOn: string;
  /** Points are given as shares of 1. */
  readonly unit: 'score' | 'points';
  readonly figure: number;
  /** 95 percent bounds by drawing hours; null where none were given. */
  readonly bounds: Pick<Interval, 'low' | 'high'> | null;
}

const TICKS = 'settlement ticks, the 16 hours after those of 2026-07-24 here';
const BOOKS = 'sampled books, the hours after those of 2026-07-27 here';

/**
 * What the signal and its mean with the market's price were worth on hours that nothing here was
 * chosen on. These rows are not computed by the report: the hours are not among its data.
 */
export const HELD_OUT: readonly HeldOutFigure[] = [
  {
    what: 'Brier score of the signal',
    data: TICKS,
    measuredOn: '2026-11-24',
    unit: 'score',
    figure: 0.181,
    bounds: { low: 0.152, high: 0.212 },
  },
  {
    what: 'strength of 70 % or more: came true (0.821) less stated (0.902)',
    data: TICKS,
    measuredOn: '2026-11-24',
    unit: 'points',
    figure: -0.08,
    bounds: { low: -0.136, high: -0.031 },
  },
  {
    what: 'mean of signal and market price, where 70 % or more: came true less stated',
    data: BOOKS,
    measuredOn: '2026-11-24',
    unit: 'points',
    figure: 0.04,
    bounds: { low: 0.03, high: 0.049 },
  },
  {
    what: 'market price alone, where 70 % or more: came true less stated',
    data: BOOKS,
    measuredOn: '2026-11-24',
    unit: 'points',
    figure: 0.001,
    bounds: null,
  },
];
