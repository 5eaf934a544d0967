import type { Interval } from './interval.ts';

/** Values that are not independent of each other: everything of one round, or of one event. */
export type Cluster = readonly number[];

/** How a bootstrap draws: how often, by which numbers, and what of it is an interval. */
interface Resampling {
  readonly draws: number;
  /** Probability left out on each side: 0.025 for a 95 percent interval. */
  readonly tail: number;
  /**
   * A whole number from 0 up to but not including `bound`; the same sequence gives the same
   * interval.
   */
  readonly pick: (bound: number) => number;
}

/**
 * Mean of all values with its percentile interval from resampling whole clusters (B. Efron and R.
 * Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13). Values of one cluster
 * stay together, so their dependence widens the interval as it must. Null without a value.
 */
export function bootstrapMean(
  clusters: readonly Cluster[],
  { draws, tail, pick }: Resampling,
): Interval | null {
  const filled = clusters.filter(({ length }) => length > 0);
  if (filled.length === 0) return null;
  const sums = Float64Array.from(filled, (values) => values.reduce((sum, value) => sum + value, 0));
  const counts = Float64Array.from(filled, ({ length }) => length);
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < sums.length; drawn += 1) {
      const index = pick(sums.length);
      sum += sums[index] ?? 0;
      count += counts[index] ?? 0;
    }
    means[draw] = sum / count;
  }
  means.sort();
  return {
    estimate: total(sums) / total(counts),
    low: quantile(means, tail),
    high: quantile(means, 1 - tail),
  };
}

/**
 * Value that the true mean lies below in only `tail` of all cases, by the studentised bootstrap
 * over clusters (same book, section 12.5). Bets that win little often and lose all seldom are
 * skewed, and the percentile interval then promises too much: this bound measures each resample by
 * its own spread, so a resample without losses tells nothing. Minus infinity where even that is not
 * known; null without a value.
 */
export function bootstrapLowerBound(
  clusters: readonly Cluster[],
  { draws, tail, pick }: Resampling,
): number | null {
  const filled = clusters.filter(({ length }) => length > 0);
  if (filled.length === 0) return null;
  const sums = Float64Array.from(filled, (values) => values.reduce((sum, value) => sum + value, 0));
  const counts = Float64Array.from(filled, ({ length }) => length);
  const whole = spreadOf(sums, counts, (index) => index);
  const distances = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    const { mean, error } = spreadOf(sums, counts, () => pick(sums.length));
    distances[draw] = mean === whole.mean ? 0 : (mean - whole.mean) / error;
  }
  distances.sort();
  const furthest = distances[Math.min(draws - 1, Math.ceil((1 - tail) * draws))] ?? Infinity;
  return whole.error === 0 ? whole.mean : whole.mean - furthest * whole.error;
}

/**
 * Mean of the values in the clusters taken, and its standard error by the ratio of sums to counts
 * (W. Cochran, Sampling Techniques, 1977, section 2.11), but for a factor that is the same for all
 * samples of as many clusters.
 */
function spreadOf(
  sums: Float64Array,
  counts: Float64Array,
  take: (place: number) => number,
): { readonly mean: number; readonly error: number } {
  let [sum, count, sumSquares, products, countSquares] = [0, 0, 0, 0, 0];
  for (let place = 0; place < sums.length; place += 1) {
    const index = take(place);
    const [one, size] = [sums[index] ?? 0, counts[index] ?? 0];
    sum += one;
    count += size;
    sumSquares += one * one;
    products += one * size;
    countSquares += size * size;
  }
  const mean = sum / count;
  const squares = sumSquares - 2 * mean * products + mean * mean * countSquares;
  // Equal values leave a rest of rounding that is no spread.
  const isSpread = squares > 1e-12 * sumSquares;
  return { mean, error: isSpread ? Math.sqrt(squares) / count : 0 };
}

/**
 * Value below which `share` of the sorted values lie, between neighbours in proportion (type 7 of
 * Hyndman and Fan, 1996).
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (place - below) * (high - low);
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
