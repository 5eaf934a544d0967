/** One point: epoch seconds and a value. Times rise. */
export interface ChartPoint {
  readonly time: number;
  /** Of a gap the last one that was known. */
  readonly value: number;
  /** Set where the value is not known: no line leads there. */
  readonly isGap?: true;
}

/** Steps of an axis, seconds: those that people count time by. */
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
] as const;
/** As many as a screen can tell apart. */
const EVEN_MAXIMUM = 480;

/**
 * Puts points on an even axis: the chart draws each as far from the next whatever lies between, so
 * that an hour of minutes beside a minute of seconds would take half of it. Each step shows the
 * last value known by its end.
 */
export function evenPoints(points: readonly ChartPoint[]): readonly ChartPoint[] {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const step = stepFor(last.time - first.time);
  const even: ChartPoint[] = [];
  let at = 0;
  let newest = first;
  for (let time = floored(first.time, step); time <= last.time; time += step) {
    for (let next = points[at]; next !== undefined && next.time < time + step; next = points[at]) {
      newest = next;
      at += 1;
    }
    even.push({ ...newest, time });
  }
  return even;
}

function stepFor(spanSeconds: number): number {
  const longest = STEPS.at(-1) ?? 1;
  return (
    STEPS.find((step) => spanSeconds / step < EVEN_MAXIMUM) ??
    Math.ceil(spanSeconds / EVEN_MAXIMUM / longest) * longest
  );
}

function floored(time: number, step: number): number {
  return Math.floor(time / step) * step;
}
