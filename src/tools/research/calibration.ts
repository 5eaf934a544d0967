import { EVIDENCE, RESEARCH } from '../../../config/limits/research.ts';
import { logLossOf, LOG_LOSS_MARGIN, meanScore } from '../../domain/evidence/forecast-scores.ts';
import type { ForecastRow } from './forecasts.ts';
import { dayOf } from './register.ts';

/** What one recorded day says of the signal, and what the other days would have made of it. */
interface DayCalibration {
  readonly day: string;
  readonly rounds: number;
  readonly forecasts: number;
  /**
   * Of the likelier side, where its strength was `RESEARCH.strongPercent` or more: what was stated
   * and how often it came; null without any.
   */
  readonly strong: {
    readonly count: number;
    readonly stated: number;
    readonly cameTrue: number;
  } | null;
  readonly logLoss: number;
  /**
   * Factor on the log odds that fits the other days best, and the loss of this day with it; null
   * without other days.
   */
  readonly shrunk: { readonly factor: number; readonly logLoss: number } | null;
  /** Where the market's price was recorded at the same moments; null elsewhere. */
  readonly market: MarketCalibration | null;
}

/** Signal and market price together, on one day. */
interface MarketCalibration {
  readonly forecasts: number;
  readonly oursLogLoss: number;
  readonly marketLogLoss: number;
  /** Mean of the two, as exits are priced. */
  readonly equalLogLoss: number;
  /**
   * Weight of the signal beside the market's price that fits the other days best, and the loss of
   * this day with it; null without other days.
   */
  readonly fitted: { readonly weight: number; readonly logLoss: number } | null;
}

/**
 * A set's calibration with days as the unit: each day is judged by what the others say (leave one
 * day out).
 */
export interface Calibration {
  readonly days: readonly DayCalibration[];
  /**
   * False while there are fewer days than `EVIDENCE.daysMinimum`: then nothing is fitted, and what
   * agents use is not changed by it.
   */
  readonly isEnough: boolean;
}

interface Spoken extends ForecastRow {
  readonly ours: number;
}

/** Judges every day of a set by the others; null where our signal never spoke. */
export function calibrationOf(rows: readonly ForecastRow[]): Calibration | null {
  const spoken = rows.filter((row): row is Spoken => row.ours !== null);
  const names = [...new Set(spoken.map(({ startsAtMs }) => dayOf(startsAtMs)))].sort();
  if (names.length === 0) return null;
  const days = names.map((day) => {
    const isThen = ({ startsAtMs }: ForecastRow): boolean => dayOf(startsAtMs) === day;
    return dayCalibration(
      day,
      spoken.filter(isThen),
      spoken.filter((row) => !isThen(row)),
    );
  });
  return { days, isEnough: names.length >= EVIDENCE.daysMinimum };
}

function dayCalibration(
  day: string,
  rows: readonly Spoken[],
  others: readonly Spoken[],
): DayCalibration {
  const factor = best(factors(), others, ({ ours }, one) => shrunkBy(ours, one));
  return {
    day,
    rounds: new Set(rows.map(({ slug }) => slug)).size,
    forecasts: rows.length,
    strong: strongOf(rows),
    logLoss: lossOf(rows, ({ ours }) => ours),
    shrunk:
      factor === null
        ? null
        : { factor, logLoss: lossOf(rows, ({ ours }) => shrunkBy(ours, factor)) },
    market: marketCalibration(rows.filter(hasMarket), others.filter(hasMarket)),
  };
}

function strongOf(rows: readonly Spoken[]): DayCalibration['strong'] {
  const strong = rows
    .map(({ ours, happened }) => ({
      stated: Math.max(ours, 1 - ours),
      came: ours >= 0.5 === happened,
    }))
    .filter(({ stated }) => stated * 100 >= RESEARCH.strongPercent);
  if (strong.length === 0) return null;
  return {
    count: strong.length,
    stated: strong.reduce((sum, { stated }) => sum + stated, 0) / strong.length,
    cameTrue: strong.filter(({ came }) => came).length / strong.length,
  };
}

type Quoted = Spoken & { readonly market: number };

function hasMarket(row: Spoken): row is Quoted {
  return row.market !== null;
}

function marketCalibration(
  rows: readonly Quoted[],
  others: readonly Quoted[],
): MarketCalibration | null {
  if (rows.length === 0) return null;
  const pooled = ({ ours, market }: Quoted, weight: number): number =>
    weight * ours + (1 - weight) * market;
  const weight = best(weights(), others, pooled);
  return {
    forecasts: rows.length,
    oursLogLoss: lossOf(rows, ({ ours }) => ours),
    marketLogLoss: lossOf(rows, ({ market }) => market),
    equalLogLoss: lossOf(rows, (row) => pooled(row, 0.5)),
    fitted:
      weight === null ? null : { weight, logLoss: lossOf(rows, (row) => pooled(row, weight)) },
  };
}

function lossOf<Row extends ForecastRow>(rows: readonly Row[], said: (row: Row) => number): number {
  return (
    meanScore(
      rows.map((row) => ({ probability: said(row), happened: row.happened })),
      logLossOf,
    ) ?? Infinity
  );
}

/** The candidate with the smallest log loss, the first of equals; null without rows. */
function best<Row extends ForecastRow>(
  candidates: readonly number[],
  rows: readonly Row[],
  said: (row: Row, candidate: number) => number,
): number | null {
  let found: { readonly candidate: number; readonly loss: number } | null = null;
  if (rows.length === 0) return null;
  for (const candidate of candidates) {
    const loss = lossOf(rows, (row) => said(row, candidate));
    if (found === null || loss < found.loss) found = { candidate, loss };
  }
  return found?.candidate ?? null;
}

function factors(): readonly number[] {
  return stepped(RESEARCH.shrinkFromPercent, RESEARCH.shrinkToPercent);
}

function weights(): readonly number[] {
  return stepped(0, 100);
}

function stepped(fromPercent: number, toPercent: number): readonly number[] {
  const { fitStepPercent } = RESEARCH;
  return Array.from(
    { length: Math.floor((toPercent - fromPercent) / fitStepPercent) + 1 },
    (_value, step) => (fromPercent + step * fitStepPercent) / 100,
  );
}

/** A probability with its log odds times `factor`: below 1 it moves towards one half. */
function shrunkBy(probability: number, factor: number): number {
  const held = Math.min(1 - LOG_LOSS_MARGIN, Math.max(LOG_LOSS_MARGIN, probability));
  return 1 / (1 + Math.exp(-factor * Math.log(held / (1 - held))));
}
