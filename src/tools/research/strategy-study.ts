import { EVIDENCE, RESEARCH } from '../../../config/limits/research.ts';
import { createSeededRandom } from '../../adapters/random/seeded-random.ts';
import { evidenceGate, type Evidence } from '../../domain/evidence/evidence-gate.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import { wilsonInterval } from '../../domain/evidence/proportion.ts';
import { takerFeeMicros } from '../../domain/fees.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import { MICROS_PER_UNIT, priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';
import { playSeries } from './play-series.ts';
import { dayOf } from './register.ts';
import { clusters, interval } from './score-forecasts.ts';
import type { RecordedSeries } from './series.ts';
import { PARTS, type Part, type Split } from './split.ts';
import type { StandIn } from './stand-ins.ts';
import { openTradeBook, type Trade, type TradeBook, type Request } from './trade-book.ts';

/** What one strategy did with one stand-in on one part of one series. */
export interface StrategyFigures {
  readonly agent: string;
  readonly strategy: string;
  readonly standIn: string;
  /** A bound, not a record. */
  readonly knowsTheEnd: boolean;
  readonly part: Part;
  readonly rounds: number;
  /** Rounds in which it wanted to enter. */
  readonly signals: number;
  /** Rounds in which it did; the same as signals where no quotes were recorded. */
  readonly trades: number;
  /** Share of the trades whose side won. */
  readonly hit: Interval | null;
  /** Mean signal strength of the bought side at the decision. */
  readonly meanStrength: number | null;
  /** Highest price at which the hit rate pays for price and taker fee, in USD. */
  readonly breakEvenPrice: number | null;
  /** Null where no quotes were recorded: then nothing is known of what a trade costs. */
  readonly money: MoneyFigures | null;
}

/** What the trades cost and brought, USD. */
export interface MoneyFigures {
  readonly meanPrice: number;
  readonly stakesUsd: number;
  readonly feesUsd: number;
  readonly profitUsd: number;
  readonly sold: number;
  /** 95 percent, by resampling rounds. */
  readonly profitPerUsd: Interval;
  readonly evidence: Evidence;
}

/** What a study runs, fixed before it does. */
export interface StrategyPlan {
  readonly series: RecordedSeries;
  readonly split: Split;
  readonly rows: readonly StrategyRow[];
  readonly standIns: readonly StandIn[];
  /** False where the quotes are made up so that strategies can decide at all. */
  readonly hasQuotes: boolean;
  /** How many strategies are looked at in the whole report. */
  readonly comparisons: number;
}

/** Runs every row with every stand-in over the series, in one pass. */
export function strategyFigures(plan: StrategyPlan): readonly StrategyFigures[] {
  const { series, rows, standIns } = plan;
  const books = rows.flatMap((row) => standIns.map((standIn) => openTradeBook(row, standIn)));
  playSeries(series, (moment) => {
    for (const book of books) book.see(moment);
  });
  return books.flatMap((book) => PARTS.map((part) => figuresOf(plan, book, part)));
}

function figuresOf(
  plan: StrategyPlan,
  { row, standIn, trades, requests }: TradeBook,
  part: Part,
): StrategyFigures {
  const { series, split, hasQuotes } = plan;
  const isInPart = ({ round }: Request): boolean => split.partOf(round.startsAtMs) === part;
  const wanted = requests().filter(isInPart);
  const made = trades().filter(isInPart);
  const scored = hasQuotes ? made : wanted;
  const hit = wilsonInterval(
    scored.filter(({ round, outcome }) => outcome === round.winner).length,
    scored.length,
  );
  const strengths = scored.flatMap(({ strength }) => strength ?? []);
  return {
    agent: row.agentId,
    strategy: row.strategy,
    standIn: standIn.id,
    knowsTheEnd: standIn.knowsTheEnd,
    part,
    rounds: series.rounds.filter(({ startsAtMs }) => split.partOf(startsAtMs) === part).length,
    signals: wanted.length,
    trades: scored.length,
    hit,
    meanStrength: strengths.length === 0 ? null : meanOf(strengths),
    breakEvenPrice: hit === null ? null : breakEvenPrice(hit.estimate),
    money: hasQuotes
      ? moneyOf(
          made,
          standIn,
          plan,
          `${series.name} ${row.agentId} ${row.strategy} ${standIn.id} ${part}`,
        )
      : null,
  };
}

function moneyOf(
  trades: readonly Trade[],
  standIn: StandIn,
  { series, comparisons }: StrategyPlan,
  label: string,
): MoneyFigures | null {
  const returnOf = ({ profitMicros, stakeMicros }: Trade): number => profitMicros / stakeMicros;
  const returns = clusters(trades, ({ round }) => round.slug, returnOf);
  const profitPerUsd = interval(returns, label);
  if (profitPerUsd === null) return null;
  const usd = (amountOf: (trade: Trade) => number): number =>
    trades.reduce((sum, trade) => sum + amountOf(trade), 0) / MICROS_PER_UNIT;
  const random = createSeededRandom(`${RESEARCH.seed}:gate:${label}`);
  return {
    meanPrice: meanOf(trades.map(({ price }) => price)) / TICKS_PER_USD,
    stakesUsd: usd(({ stakeMicros }) => stakeMicros),
    feesUsd: usd(({ feesMicros }) => feesMicros),
    profitUsd: usd(({ profitMicros }) => profitMicros),
    sold: trades.filter(({ soldMicros }) => soldMicros !== null).length,
    profitPerUsd,
    evidence: evidenceGate(
      {
        returns,
        byDay: clusters(trades, ({ atMs }) => dayOf(atMs), returnOf),
        standIns: [...series.standIns, `prediction: ${standIn.title}`],
      },
      {
        ...EVIDENCE,
        level: EVIDENCE.levelPercent / 100,
        comparisons,
        draws: EVIDENCE.bootstrapDraws,
      },
      (bound) => random.integer(bound),
    ),
  };
}

/**
 * Highest price, in USD, at which a share that pays 1 USD with this chance is worth its price and
 * its taker fee; null when none is.
 */
export function breakEvenPrice(chance: number): number | null {
  const fee = {
    rateMicros: RESEARCH.feeRateMicros,
    exponent: RESEARCH.feeExponent,
    takerOnly: true,
  };
  const one = shareMicros(MICROS_PER_UNIT);
  for (
    let ticks = Math.min(TICKS_PER_USD - 1, Math.floor(chance * TICKS_PER_USD));
    ticks >= 1;
    ticks -= 1
  ) {
    const price = priceTicks(ticks);
    if (
      ticks * (MICROS_PER_UNIT / TICKS_PER_USD) + takerFeeMicros(one, price, fee) <=
      chance * MICROS_PER_UNIT
    )
      return ticks / TICKS_PER_USD;
  }
  return null;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
