import { RESEARCH } from '../../../config/limits/research.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import type { ForecastRow } from './forecasts.ts';
import { drawnInTime } from './score-forecasts.ts';

/** How far what was stated strongly lies from what came true. */
export interface StrongGap {
  readonly source: GapSource;
  /** Forecasts of which the likelier side was given `RESEARCH.strongPercent` or more. */
  readonly forecasts: number;
  readonly stated: number;
  readonly cameTrue: number;
  /** Came true less stated, 95 percent: below 0 it was too sure. */
  readonly gap: Interval;
}

/** What was stated: our signal, the market's price, or the mean of both. */
type GapSource = 'our signal' | 'mean of both' | 'market price';

const STATED: Readonly<Record<GapSource, (row: ForecastRow) => number | null>> = {
  'our signal': ({ ours }) => ours,
  'mean of both': ({ ours, market }) =>
    ours === null || market === null ? null : (ours + market) / 2,
  'market price': ({ ours, market }) => (ours === null ? null : market),
};

/** The gaps of every source over a set, by moments at which our signal spoke. */
export function strongGapsOf(rows: readonly ForecastRow[], label: string): readonly StrongGap[] {
  return (Object.keys(STATED) as readonly GapSource[]).flatMap((source) => {
    const strong = rows.flatMap((row) => {
      const up = STATED[source](row);
      if (up === null || Math.max(up, 1 - up) * 100 < RESEARCH.strongPercent) return [];
      return [{ ...row, stated: Math.max(up, 1 - up), came: up >= 0.5 === row.happened ? 1 : 0 }];
    });
    const mean = (of: (one: (typeof strong)[number]) => number): Interval | null =>
      drawnInTime(strong, of, `${label} ${source} gap`);
    const [gap, stated, came] = [
      mean(({ stated, came }) => came - stated),
      mean(({ stated }) => stated),
      mean(({ came }) => came),
    ];
    if (gap === null || stated === null || came === null) return [];
    const [forecasts, cameTrue] = [strong.length, came.estimate];
    return [{ source, forecasts, stated: stated.estimate, cameTrue, gap }];
  });
}
