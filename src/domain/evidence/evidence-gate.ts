import type { Criterion } from '../agent.ts';
import type { Cluster } from './bootstrap.ts';
import { bootstrapLowerBound } from './bootstrap.ts';

/** What a strategy has done, out of sample and after fees. */
export interface StrategyTrack {
  /** Profit of each trade per USD put in, by round or event: -1 is all lost. */
  readonly returns: readonly Cluster[];
  /** Different UTC days with a trade. */
  readonly days: number;
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
 * enough to know both sides of the bet, a lower bound of the mean profit above zero after fees, and
 * nothing made up. All criteria must pass. Wins and losses are asked for because no resampling can
 * draw a loss that was not seen: a bet at 99 cents looks safe until the first one comes.
 */
export function evidenceGate(
  { returns, days, standIns }: StrategyTrack,
  thresholds: EvidenceThresholds,
  pick: (bound: number) => number,
): Evidence {
  const all = returns.flat();
  const wins = all.filter((profit) => profit > 0).length;
  const losses = all.filter((profit) => profit < 0).length;
  const tail = thresholds.level / thresholds.comparisons;
  const low = bootstrapLowerBound(returns, { draws: thresholds.draws, tail, pick });
  const criteria: readonly Criterion[] = [
    atLeast('trades', all.length, thresholds.tradesMinimum),
    atLeast('wins', wins, thresholds.winsMinimum),
    atLeast('losses', losses, thresholds.lossesMinimum),
    atLeast('days', days, thresholds.daysMinimum),
    {
      name: 'lower bound of profit per USD',
      value: low === null ? 'none' : low.toFixed(4),
      threshold: `above 0, at ${(tail * 100).toFixed(2)} %`,
      passed: low !== null && low > 0,
    },
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
