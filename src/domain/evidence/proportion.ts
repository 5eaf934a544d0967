import { DEVIATIONS_95, type Interval } from './interval.ts';

/**
 * Share of hits with its Wilson score interval (E. B. Wilson, Probable Inference, 1927): it stays
 * inside 0 to 1 and holds for small counts and shares near the ends. Null without trials.
 */
export function wilsonInterval(
  hits: number,
  trials: number,
  deviations = DEVIATIONS_95,
): Interval | null {
  if (trials === 0) return null;
  const share = hits / trials;
  const square = deviations * deviations;
  const centre = (share + square / (2 * trials)) / (1 + square / trials);
  const half =
    (deviations / (1 + square / trials)) *
    Math.sqrt((share * (1 - share)) / trials + square / (4 * trials * trials));
  return { estimate: share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
