import { EVIDENCE, RESEARCH } from '../../../config/limits/research.ts';
import { createSeededRandom } from '../../adapters/random/seeded-random.ts';
import { bootstrapMean, type Cluster } from '../../domain/evidence/bootstrap.ts';
import { brierOf, logLossOf, type Forecast } from '../../domain/evidence/forecast-scores.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import {
  calibrationError,
  reliabilityBins,
  type ReliabilityBin,
} from '../../domain/evidence/reliability.ts';
import type { ForecastRow } from './forecasts.ts';
import { dayOf } from './register.ts';

/**
 * How good forecasts were. Intervals are 95 percent, by resampling whole hours: rounds that follow
 * one another share their market. Below `RESEARCH.hoursMinimum` hours they draw rounds.
 */
export interface Scores {
  readonly forecasts: number;
  readonly rounds: number;
  readonly hours: number;
  readonly brier: Interval;
  readonly logLoss: Interval;
  /**
   * The Brier score with whole days resampled; null below `EVIDENCE.daysMinimum` days, where it
   * would only resemble an interval.
   */
  readonly brierByDay: Interval | null;
  readonly calibrationError: number;
  readonly bins: readonly ReliabilityBin[];
}

/** Score of an even chance, whatever comes. */
export const COIN = { brier: 0.25, logLoss: Math.LN2 } as const;

/**
 * How much better or worse our signal is than the market's price on the same moments: below zero is
 * better.
 */
export interface Difference {
  readonly hours: number;
  readonly brier: Interval;
  readonly logLoss: Interval;
  /** As in `Scores`. */
  readonly brierByDay: Interval | null;
}

type Source = (row: ForecastRow) => number | null;

/** Scores of one source over the rows in which it spoke; null where it never did. */
export function scoresOf(
  rows: readonly ForecastRow[],
  source: Source,
  label: string,
): Scores | null {
  const spoken = rows.flatMap((row) => {
    const probability = source(row);
    return probability === null
      ? []
      : [
          {
            slug: row.slug,
            startsAtMs: row.startsAtMs,
            forecast: { probability, happened: row.happened },
          },
        ];
  });
  const mean = (score: (forecast: Forecast) => number): Interval | null =>
    drawnInTime(spoken, ({ forecast }) => score(forecast), label);
  const [brier, logLoss] = [mean(brierOf), mean(logLossOf)];
  if (brier === null || logLoss === null) return null;
  const bins = reliabilityBins(
    spoken.map(({ forecast }) => forecast),
    RESEARCH.reliabilityRanges,
  );
  return {
    forecasts: spoken.length,
    rounds: new Set(spoken.map(({ slug }) => slug)).size,
    hours: hoursOf(spoken),
    brier,
    logLoss,
    brierByDay: byDay(spoken, ({ forecast }) => brierOf(forecast), label),
    calibrationError: calibrationError(bins) ?? 0,
    bins,
  };
}

/** Our score less the market's, moment by moment; null where they never both spoke. */
export function differenceOf(rows: readonly ForecastRow[], label: string): Difference | null {
  const both = rows.flatMap(({ slug, startsAtMs, happened, ours, market }) =>
    ours === null || market === null
      ? []
      : [
          {
            slug,
            startsAtMs,
            ours: { probability: ours, happened },
            market: { probability: market, happened },
          },
        ],
  );
  const mean = (score: (forecast: Forecast) => number): Interval | null =>
    drawnInTime(both, ({ ours, market }) => score(ours) - score(market), label);
  const [brier, logLoss] = [mean(brierOf), mean(logLossOf)];
  if (brier === null || logLoss === null) return null;
  return {
    hours: hoursOf(both),
    brier,
    logLoss,
    brierByDay: byDay(both, ({ ours, market }) => brierOf(ours) - brierOf(market), label),
  };
}

interface Started {
  readonly slug: string;
  readonly startsAtMs: number;
}

/**
 * 95 percent interval of the mean by drawing whole hours, or rounds where the hours are too few to
 * draw from.
 */
export function drawnInTime<Item extends Started>(
  items: readonly Item[],
  valueOf: (item: Item) => number,
  label: string,
): Interval | null {
  const isEnough = hoursOf(items) >= RESEARCH.hoursMinimum;
  return interval(clusters(items, isEnough ? hourOf : ({ slug }) => slug, valueOf), label);
}

function hoursOf(items: readonly Started[]): number {
  return new Set(items.map(hourOf)).size;
}

function hourOf({ startsAtMs }: Started): string {
  return String(Math.floor(startsAtMs / 3_600_000));
}

function byDay<Item extends Started>(
  items: readonly Item[],
  valueOf: (item: Item) => number,
  label: string,
): Interval | null {
  const days = clusters(items, ({ startsAtMs }) => dayOf(startsAtMs), valueOf);
  return days.length < EVIDENCE.daysMinimum ? null : interval(days, `${label} by day`);
}

/** Groups values by name, groups in the order in which they appear. */
export function clusters<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  valueOf: (item: Item) => number,
): readonly Cluster[] {
  const groups = new Map<string, number[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item)) ?? [];
    group.push(valueOf(item));
    groups.set(nameOf(item), group);
  }
  return [...groups.values()];
}

/**
 * 95 percent interval of the mean. Each label draws its own numbers, so no figure depends on how
 * many come before it.
 */
export function interval(groups: readonly Cluster[], label: string): Interval | null {
  const random = createSeededRandom(`${RESEARCH.seed}:bootstrap:${label}`);
  return bootstrapMean(groups, {
    draws: RESEARCH.bootstrapDraws,
    tail: 0.025,
    pick: (bound) => random.integer(bound),
  });
}
