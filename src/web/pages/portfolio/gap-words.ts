import { exactMoment } from '../../format/time.ts';
import { type ChartPoint, evenPoints } from '../../ui/even-points.ts';

/** More of them are no sentence. */
const NAMED_MAXIMUM = 3;

/**
 * Says why a curve of equity has gaps, and from when to when, the newest first; null for one that
 * is drawn without any. One that goes on until its last point is not among them.
 */
export function gapWords(points: readonly ChartPoint[]): string | null {
  const spans: string[] = [];
  let from: number | null = null;
  // as it is drawn: a step that ends with a price has no gap
  for (const { time, isGap } of evenPoints(points)) {
    if (isGap === true) from ??= time;
    else if (from !== null) {
      spans.unshift(`from ${exactMoment(from * 1_000)} to ${exactMoment(time * 1_000)}`);
      from = null;
    }
  }
  if (spans.length === 0) return null;
  const named = spans.slice(0, NAMED_MAXIMUM).join(', ');
  const count = spans.length === 1 ? 'a gap' : `${spans.length} gaps`;
  const newest = spans.length > NAMED_MAXIMUM ? 'the newest ' : '';
  return `The line has ${count}, where a position had no price: ${newest}${named}.`;
}
