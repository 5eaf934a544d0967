import type { Forecast } from './forecast-scores.ts';
import type { Interval } from './interval.ts';
import { wilsonInterval } from './proportion.ts';

/** Forecasts of one range, and how often they came true. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Mean of the stated probabilities. */
  readonly stated: number;
  /** Share that came true, with its Wilson interval. */
  readonly observed: Interval;
}

/**
 * Sorts forecasts into equal ranges of probability; ranges without a forecast are left out. The
 * last range includes 1.
 */
export function reliabilityBins(
  forecasts: readonly Forecast[],
  ranges: number,
): readonly ReliabilityBin[] {
  const sums = Array.from({ length: ranges }, () => ({ count: 0, stated: 0, happened: 0 }));
  for (const { probability, happened } of forecasts) {
    const sum = sums[Math.min(ranges - 1, Math.floor(probability * ranges))];
    if (sum === undefined) throw new RangeError(`not a probability: ${probability}`);
    sum.count += 1;
    sum.stated += probability;
    sum.happened += happened ? 1 : 0;
  }
  return sums.flatMap(({ count, stated, happened }, index) => {
    const observed = wilsonInterval(happened, count);
    return observed === null
      ? []
      : [
          {
            from: index / ranges,
            to: (index + 1) / ranges,
            count,
            stated: stated / count,
            observed,
          },
        ];
  });
}

/**
 * Mean distance of stated and observed over the ranges, weighted by their forecasts (expected
 * calibration error); null without any.
 */
export function calibrationError(bins: readonly ReliabilityBin[]): number | null {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  return (
    bins.reduce(
      (sum, { count, stated, observed }) => sum + count * Math.abs(stated - observed.estimate),
      0,
    ) / total
  );
}
