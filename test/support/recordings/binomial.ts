/**
 * Smallest count that a binomial variable exceeds with at most `tail` probability: with `trials`
 * tries at `chance` each, more hits than this happen in fewer than `tail` of all cases. `chance`
 * lies between 0 and 1, both excluded.
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
