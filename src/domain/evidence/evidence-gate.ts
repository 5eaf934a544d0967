import type { Criterion } from '../agent.ts';
import { bootstrapLowerBound, type Cluster } from './bootstrap.ts';

/** What a strategy has done, out of sample and after fees. */
export interface StrategyTrack {
  /** Profit of each trade per USD put in, by round or event: -1 is all lost. */
  readonly returns: readonly Cluster[];
  /** The same profits by UTC day; a day without a trade is empty or left out. */
  readonly byDay: readonly Cluster[];
  /**
   * What the record rests on that was not recorded but made up in its place; empty when all is
   * real.
   */
  readonly standIns: readonly string[];
}

/** What the gate asks for. */
export interface EvidenceThresholds {
  readonly tradesMinimum: number;
  readonly winsMinimum: number;
  readonly lossesMinimum: number;
  readonly daysMinimum: number;
  /** Chance that one of all strategies looked at passes though none is any good. */
  readonly level: number;
  /** How many strategies were looked at: the level is shared among them (Bonferroni). */
  readonly comparisons: number;
  readonly draws: number;
}

/** What the gate says, criterion by criterion. */
export interface Evidence {
  readonly passed: boolean;
  readonly criteria: readonly Criterion[];
}

/**
 * Says whether a record is evidence of an edge: enough trades on enough days, wins and losses
 * enough to know both sides of the bet, lower bounds of the mean profit above zero after fees, and
 * nothing made up. All criteria must pass. Wins and losses are asked for because no resampling can
 * draw a loss that was not seen: a bet at 99 cents looks safe until the first one comes. One bound
 * draws rounds, the other whole days, for the rounds of a day share its shocks; and because no
 * resampling can draw a bad day that has not come either, that one counts a day more, as bad as the
 * best one was good.
 */
export function evidenceGate(
  { returns, byDay, standIns }: StrategyTrack,
  thresholds: EvidenceThresholds,
  pick: (bound: number) => number,
): Evidence {
  const all = returns.flat();
  const wins = all.filter((profit) => profit > 0).length;
  const losses = all.filter((profit) => profit < 0).length;
  const tail = thresholds.level / thresholds.comparisons;
  const days = byDay.filter(({ length }) => length > 0);
  const boundOf = (clusters: readonly Cluster[]): number | null =>
    bootstrapLowerBound(clusters, { draws: thresholds.draws, tail, pick });
  const above = (name: string, low: number | null): Criterion => ({
    name,
    value: low === null ? 'none' : low.toFixed(4),
    threshold: `above 0, at ${(tail * 100).toFixed(2)} %`,
    passed: low !== null && low > 0,
  });
  const criteria: readonly Criterion[] = [
    atLeast('trades', all.length, thresholds.tradesMinimum),
    atLeast('wins', wins, thresholds.winsMinimum),
    atLeast('losses', losses, thresholds.lossesMinimum),
    atLeast('days', days.length, thresholds.daysMinimum),
    above('lower bound of profit per USD', boundOf(returns)),
    above('lower bound by day', boundOf(withBadDay(days))),
    {
      name: 'stand-ins',
      value: standIns.length === 0 ? 'none' : standIns.join(', '),
      threshold: 'none',
      passed: standIns.length === 0,
    },
  ];
  return { passed: criteria.every(({ passed }) => passed), criteria };
}

function atLeast(name: string, value: number, minimum: number): Criterion {
  return { name, value: String(value), threshold: `at least ${minimum}`, passed: value >= minimum };
}

/** The days and one more: the best of them, turned into as large a loss; none where all lost. */
function withBadDay(days: readonly Cluster[]): readonly Cluster[] {
  const profitOf = (day: Cluster): number => day.reduce((sum, profit) => sum + profit, 0);
  const best = days.reduce<Cluster>((one, day) => (profitOf(day) > profitOf(one) ? day : one), []);
  return [...days, best.map((profit) => -profit)];
}
