import type { ChartPoint } from '../../ui/even-points.ts';

/** Points kept: half a day at one each 15 s. */
const POINTS_MAXIMUM = 2_880;

/** A price and when it was published, epoch ms; either may be unknown. */
export interface SeenPrice {
  readonly priceUsd: string | null;
  readonly atMs: number | null;
}

/**
 * The points with a price behind them, the same list where it says nothing new: a price that is
 * unknown, and one published when the last was or before.
 */
export function withPrice(
  points: readonly ChartPoint[],
  { priceUsd, atMs }: SeenPrice,
): readonly ChartPoint[] {
  if (priceUsd === null || atMs === null) return points;
  const time = Math.floor(atMs / 1_000);
  if (time <= (points.at(-1)?.time ?? Number.NEGATIVE_INFINITY)) return points;
  return [...points, { time, value: Number(priceUsd) }].slice(-POINTS_MAXIMUM);
}

/** What the price was a day before, by how much it has changed; null where either is unknown. */
export function dayBefore(priceUsd: string | null, changePercent: string | null): number | null {
  if (priceUsd === null || changePercent === null) return null;
  const before = Number(priceUsd) / (1 + Number(changePercent) / 100);
  return Number.isFinite(before) && before > 0 ? before : null;
}
