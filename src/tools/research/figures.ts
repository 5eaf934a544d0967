import { RESEARCH } from '../../../config/limits/research.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import { wilsonInterval } from '../../domain/evidence/proportion.ts';
import { FARM_VENUE_A, FARM_VENUE_B, FARM_VENUES } from '../../domain/farming/venues.ts';
import type { AgentId } from '../../domain/ids.ts';
import { STRATEGIES } from '../../domain/strategy/table.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';
import { calibrationOf, type Calibration } from './calibration.ts';
import type { DataFolder } from './data-folder.ts';
import { farmingFigures, type FarmingFigures, type FarmingPlan } from './farming-study.ts';
import { farmingRules } from './farming-rules.ts';
import { forecastsOf, type ForecastRow } from './forecasts.ts';
import { HELD_OUT, type HeldOutFigure } from './held-out.ts';
import { readEndedRounds, type EndedRound } from './read/base-rate.ts';
import { readQuotedOutcomes, readSnapshotOutcomes } from './read/farming-outcomes.ts';
import { readContractOutcomes, unpairedWords } from './read/contract-outcomes.ts';
import { readLateWindowSeries } from './read/late-window-series.ts';
import { readBookPrices, readClosingPrices, readFetchedPrices } from './read/market-quotes.ts';
import { readQuarterHourOutcomes, readQuotedQuarterHours } from './read/quarter-hour-series.ts';
import { readSettlementSeries } from './read/settlement-series.ts';
import { differenceOf, scoresOf, type Difference, type Scores } from './score-forecasts.ts';
import { withEvenQuotes, type RecordedSeries } from './series.ts';
import { PARTS, splitByTime, type Part, type Split } from './split.ts';
import { standInsFor } from './stand-ins.ts';
import { strongGapsOf, type StrongGap } from './strong-gaps.ts';
import { strategyFigures, type StrategyFigures } from './strategy-study.ts';

/** All that the report says, as numbers. */
export interface ResearchFigures {
  readonly seed: number;
  readonly inSamplePercent: number;
  readonly bootstrapDraws: number;
  readonly stakeUsd: number;
  readonly baseRate: readonly BaseRate[];
  readonly forecasts: readonly ForecastStudy[];
  readonly strategies: readonly StrategyStudy[];
  readonly farming: readonly FarmingStudy[];
  /** Sentences on sets of farming that are absent or do not fit together. */
  readonly farmingGaps: readonly string[];
  /** Measured elsewhere, on hours that are not here. */
  readonly heldOut: readonly HeldOutFigure[];
}

/** How often 5-minute rounds end Up, and how often the exchange says the same. */
export interface BaseRate {
  readonly part: Part;
  readonly rounds: number;
  readonly up: Interval;
  readonly exchangeAgrees: Interval;
}

/** How good the probabilities of one set are. */
export interface ForecastStudy {
  readonly name: string;
  readonly splitMs: number;
  readonly standIns: readonly string[];
  readonly parts: readonly ForecastPart[];
  /** Null where the set holds no own signal. */
  readonly calibration: Calibration | null;
  /** What was stated at 70 % or more against what came true; empty without an own signal. */
  readonly strongGaps: readonly StrongGap[];
}

/** One part of a set's probabilities. */
export interface ForecastPart {
  readonly part: Part;
  readonly ours: Scores | null;
  readonly market: Scores | null;
  /** On the moments at which both spoke. */
  readonly difference: Difference | null;
  readonly byTimeLeft: readonly {
    readonly secondsLeft: number;
    readonly ours: ShortScores | null;
    readonly market: ShortScores | null;
  }[];
}

/** Scores without their ranges. */
type ShortScores = Pick<Scores, 'forecasts' | 'brier' | 'logLoss'>;

/** Strategies over one series. */
export interface StrategyStudy {
  readonly name: string;
  readonly splitMs: number;
  readonly hasQuotes: boolean;
  readonly standIns: readonly string[];
  readonly figures: readonly StrategyFigures[];
}

/** Farming bands over one set. */
export interface FarmingStudy {
  readonly name: string;
  readonly agent: AgentId;
  /** Null where the set is one moment and cannot be split by time. */
  readonly splitMs: number | null;
  readonly standIns: readonly string[];
  readonly figures: readonly FarmingFigures[];
}

/**
 * Reads the folder and computes everything. Sets that are absent are left out. Errors:
 * `config_invalid` for a malformed file.
 */
export function researchFigures(folder: DataFolder): ResearchFigures {
  const ticks = readSettlementSeries(folder);
  const samples = readLateWindowSeries(folder);
  const quarterOutcomes = readQuarterHourOutcomes(folder);
  const evenly = (series: RecordedSeries | null): readonly Studied[] =>
    series === null ? [] : [{ series: withEvenQuotes(series), hasQuotes: false }];
  const quoted = (series: RecordedSeries): Studied => ({ series, hasQuotes: true });
  const studied = [
    ...(samples === null ? [] : [quoted(samples)]),
    ...evenly(ticks),
    ...evenly(quarterOutcomes),
    ...readQuotedQuarterHours(folder).map(quoted),
  ];
  return {
    seed: RESEARCH.seed,
    inSamplePercent: RESEARCH.inSamplePercent,
    bootstrapDraws: RESEARCH.bootstrapDraws,
    stakeUsd: RESEARCH.stakeMicros / 1_000_000,
    baseRate: baseRateOf(readEndedRounds(folder)),
    forecasts: [
      ...(ticks === null
        ? []
        : [
            forecastStudy(
              ticks.name,
              forecastsOf(ticks, RESEARCH.tickHorizonSeconds, RESEARCH.tickPatienceMs),
              ticks.standIns,
            ),
          ]),
      ...(samples === null
        ? []
        : [
            forecastStudy(
              samples.name,
              forecastsOf(samples, RESEARCH.sampleHorizonSeconds, RESEARCH.samplePatienceMs),
              samples.standIns,
            ),
          ]),
      ...marketStudy('btc5m-books', readBookPrices(folder, RESEARCH.bookHorizonSeconds)),
      ...marketStudy('btc-5m-markets', readFetchedPrices(folder)),
      ...marketStudy('btc-5m-mid-at-close', readClosingPrices(folder)),
    ],
    strategies: studied.map(strategyStudy),
    farming: farmingStudies(folder),
    farmingGaps: unpairedWords(folder),
    heldOut: HELD_OUT,
  };
}

/** How many strategies the report looks at: the gate's level is shared among them. */
const COMPARISONS =
  STRATEGIES.rows.length +
  FARM_VENUES.flatMap(farmingRules).filter(({ isAgent }) => isAgent).length;

interface Studied {
  readonly series: RecordedSeries;
  readonly hasQuotes: boolean;
}

function baseRateOf(rounds: readonly EndedRound[]): readonly BaseRate[] {
  const split = splitByTime(rounds.map(({ startsAtMs }) => startsAtMs));
  return PARTS.flatMap((part) => {
    const ended = rounds.filter(({ startsAtMs }) => split.partOf(startsAtMs) === part);
    const up = wilsonInterval(ended.filter(({ wentUp }) => wentUp).length, ended.length);
    const exchangeAgrees = wilsonInterval(
      ended.filter(({ wentUp, exchangeWentUp }) => wentUp === exchangeWentUp).length,
      ended.length,
    );
    return up === null || exchangeAgrees === null
      ? []
      : [{ part, rounds: ended.length, up, exchangeAgrees }];
  });
}

function marketStudy(name: string, rows: readonly ForecastRow[]): readonly ForecastStudy[] {
  return rows.length === 0 ? [] : [forecastStudy(name, rows, [])];
}

function forecastStudy(
  name: string,
  rows: readonly ForecastRow[],
  standIns: readonly string[],
): ForecastStudy {
  const split = splitByTime([
    ...new Map(rows.map(({ slug, startsAtMs }) => [slug, startsAtMs])).values(),
  ]);
  return {
    name,
    splitMs: split.splitMs,
    standIns,
    parts: PARTS.map((part) =>
      forecastPart(
        name,
        part,
        rows.filter(({ startsAtMs }) => split.partOf(startsAtMs) === part),
      ),
    ),
    calibration: calibrationOf(rows),
    strongGaps: strongGapsOf(rows, name),
  };
}

/** Times left that hold fewer forecasts than this are not shown apart. */
const FORECASTS_MINIMUM = 20;

function forecastPart(name: string, part: Part, rows: readonly ForecastRow[]): ForecastPart {
  const times = [...new Set(rows.map(({ secondsLeft }) => secondsLeft))].sort((a, b) => b - a);
  return {
    part,
    ours: scoresOf(rows, ({ ours }) => ours, `${name} ${part} ours`),
    market: scoresOf(rows, ({ market }) => market, `${name} ${part} market`),
    difference: differenceOf(rows, `${name} ${part} difference`),
    byTimeLeft: times.flatMap((secondsLeft) => {
      const then = rows.filter((row) => row.secondsLeft === secondsLeft);
      const ours = short(scoresOf(then, (row) => row.ours, `${name} ${part} ours ${secondsLeft}`));
      const market = short(
        scoresOf(then, (row) => row.market, `${name} ${part} market ${secondsLeft}`),
      );
      return then.length < FORECASTS_MINIMUM ? [] : [{ secondsLeft, ours, market }];
    }),
  };
}

function short(scores: Scores | null): ShortScores | null {
  return scores === null
    ? null
    : { forecasts: scores.forecasts, brier: scores.brier, logLoss: scores.logLoss };
}

function strategyStudy({ series, hasQuotes }: Studied): StrategyStudy {
  const [first] = series.rounds;
  const split: Split = splitByTime(series.rounds.map(({ startsAtMs }) => startsAtMs));
  const rows = STRATEGIES.rows.filter(
    ({ agentId }) =>
      first !== undefined && agentId === `${first.asset.toLowerCase()}_${first.minutes}min`,
  );
  return {
    name: series.name,
    splitMs: split.splitMs,
    hasQuotes,
    standIns: series.standIns,
    figures: strategyFigures({
      series,
      split,
      rows,
      standIns: standInsFor(first?.minutes ?? 5),
      hasQuotes,
      comparisons: COMPARISONS,
    }),
  };
}

function farmingStudies(folder: DataFolder): readonly FarmingStudy[] {
  const quoted = readQuotedOutcomes(folder);
  const snapshot = readSnapshotOutcomes(folder);
  const contracts = readContractOutcomes(folder);
  const splitOf = (outcomes: typeof quoted): Split =>
    splitByTime(outcomes.flatMap(({ quotes }) => quotes[0]?.atMs ?? []));
  const whole: Split = { splitMs: Infinity, partOf: () => 'in sample' };
  return [
    ...(quoted.length === 0
      ? []
      : [
          farmingStudy({
            name: 'us-quotes',
            ...A,
            outcomes: quoted,
            split: splitOf(quoted),
            parts: PARTS,
            standIns: QUOTED_STAND_INS,
            comparisons: COMPARISONS,
          }),
        ]),
    ...(snapshot.length === 0
      ? []
      : [
          farmingStudy({
            name: 'active-markets',
            ...A,
            outcomes: snapshot,
            split: whole,
            parts: ['in sample'],
            standIns: SNAPSHOT_STAND_INS,
            comparisons: COMPARISONS,
          }),
        ]),
    ...(contracts.length === 0
      ? []
      : [
          farmingStudy({
            name: 'venue_b-15m-minutes',
            venue: FARM_VENUE_B,
            feeTicks: contractFeeTicks,
            outcomes: contracts,
            split: splitOf(contracts),
            parts: PARTS,
            standIns: CONTRACT_STAND_INS,
            comparisons: COMPARISONS,
          }),
        ]),
  ];
}

/** The categories that venue_a's agent farms had no fee when its sets were recorded. */
const A = { venue: FARM_VENUE_A, feeTicks: (): number => 0 };

/** The fee of both who take one there, up to the next tick. */
function contractFeeTicks(priceTicks: number): number {
  const share = priceTicks / TICKS_PER_USD;
  return Math.ceil((RESEARCH.contractFeeMicros / 100) * share * (1 - share) - 1e-6);
}

const CONTRACT_STAND_INS = [
  'category: prices of crypto, which the agent leaves alone; nothing else was recorded with quotes and results',
  'quotes: the last of each minute, of the exchange behind the venue; size: taken as enough',
  'volume: what had been traded by the first minute, so less than at the entry; not recorded for some and then taken as enough',
  'contracts held: not recorded, taken as enough',
];
const QUOTED_STAND_INS = [
  'venue: the US variant, not the book that is traded',
  'liquidity: not recorded, taken as enough',
  'volume: of a day; not recorded in August and then taken as enough',
  'end: the date in the market’s name',
];
const SNAPSHOT_STAND_INS = [
  'outcome: a later price near 1, and undecided markets left out',
  'quotes after the entry: none',
];

function farmingStudy(plan: FarmingPlan): FarmingStudy {
  const { name, venue, split, standIns } = plan;
  return {
    name,
    agent: venue.agentId,
    splitMs: Number.isFinite(split.splitMs) ? split.splitMs : null,
    standIns,
    figures: farmingFigures(plan),
  };
}
