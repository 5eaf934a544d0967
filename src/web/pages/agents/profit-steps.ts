import type { ChartPoint } from '../../ui/even-points.ts';

/** What a closed position brought, in USD, and when it ended, epoch ms. */
export interface ClosedResult {
  readonly atMs: number;
  readonly profit: number;
}

/** Adds results up by time: a point for each second in which a position ended. */
export function profitSteps(results: readonly ClosedResult[]): readonly ChartPoint[] {
  const bySecond = new Map<number, number>();
  let sum = 0;
  for (const { atMs, profit } of results.toSorted((a, b) => a.atMs - b.atMs)) {
    sum += profit;
    bySecond.set(Math.floor(atMs / 1_000), sum);
  }
  return [...bySecond].map(([time, value]) => ({ time, value }));
}

/** Steps that a reader can name, in USD. */
const WIDTHS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000] as const;
/** More than so many rows are no picture. */
const ROWS_MAXIMUM = 8;

/** Counts results in equal steps that meet at zero; empty steps at the ends are left out. */
export function spreadOf(
  profits: readonly number[],
): readonly { readonly from: number; readonly to: number; readonly count: number }[] {
  if (profits.length === 0) return [];
  const lowest = Math.min(0, ...profits);
  const highest = Math.max(0, ...profits);
  const width =
    WIDTHS.find((each) => Math.ceil(highest / each) - Math.floor(lowest / each) <= ROWS_MAXIMUM) ??
    (highest - lowest) / ROWS_MAXIMUM;
  const first = Math.min(...profits.map((profit) => Math.floor(profit / width)));
  const last = Math.max(...profits.map((profit) => Math.floor(profit / width)));
  return Array.from({ length: last - first + 1 }, (_each, index) => {
    const step = first + index;
    return {
      from: step * width,
      to: (step + 1) * width,
      count: profits.filter((profit) => Math.floor(profit / width) === step).length,
    };
  });
}
