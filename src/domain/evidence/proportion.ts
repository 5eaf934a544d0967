import type { Interval } from './interval.ts';
import { DEVIATIONS_95 } from './interval.ts';

/**
 * Share of hits with its Wilson score interval (E. B. Wilson, Probable Inference, 1927): it stays inside 0 to 1 and holds for
 * small counts and shares near the ends. Null without trials.
 */
export function wilsonInterval(hits: number, trials: number, deviations = DEVIATIONS_95): Interval | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const square = deviations * deviations;
  const centre = (share + square / (2 * trials)) / (1 + square / trials);
  const half = (deviations / (1 + square / trials)) * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials * trials));
  return { estimate: share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Smallest count that a binomial variable exceeds with at most `tail` probability: with `trials` tries at `chance` each, more
 * hits than this happen in fewer than `tail` of all cases. `chance` lies between 0 and 1, both excluded.
 */
export function binomialUpperCount(trials: number, chance: number, tail: number): number {
  let probability = (1 - chance) ** trials;
  let below = probability;
  let count = 0;
  while (1 - below > tail && count < trials) {
    probability *= ((trials - count) / (count + 1)) * (chance / (1 - chance));
    below += probability;
    count += 1;
  }
  return count;
}
