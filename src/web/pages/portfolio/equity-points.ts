import type { ChartPoint } from '../../ui/series-chart.tsx';

/** A point of the history as the daemon gives it. */
interface Sample {
  readonly sampledAtMs: number;
  readonly equityUsdc: string;
}

/**
 * Makes a curve of a history: it begins at the border with what there was before it, since nothing
 * is kept while nothing changes, and has one point a second at most.
 */
export function pointsOf(
  { before, data }: { readonly before: Sample | null; readonly data: readonly Sample[] },
  fromAtMs: number,
): readonly ChartPoint[] {
  const samples = [...(before === null ? [] : [{ ...before, sampledAtMs: fromAtMs }]), ...data];
  const bySecond = new Map(
    samples.map(({ sampledAtMs, equityUsdc }) => [
      Math.floor(sampledAtMs / 1_000),
      Number(equityUsdc),
    ]),
  );
  return [...bySecond].map(([time, value]) => ({ time, value })).sort((a, b) => a.time - b.time);
}

/** The most that a curve fell from a height before it, zero or more. */
export function deepestFall(points: readonly ChartPoint[]): number {
  let highest = Number.NEGATIVE_INFINITY;
  let fall = 0;
  for (const { value } of points) {
    highest = Math.max(highest, value);
    fall = Math.max(fall, highest - value);
  }
  return fall;
}
