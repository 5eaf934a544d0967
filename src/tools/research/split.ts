import { RESEARCH } from '../../../config/limits/research.ts';
import { dayOf, SEEN_DAYS } from './register.ts';

/** The two parts of a set, split by time and never by result. */
export type Part = 'in sample' | 'out of sample';

/** Both parts, in order of time. */
export const PARTS: readonly Part[] = ['in sample', 'out of sample'];

/** How a set was split. */
export interface Split {
  /**
   * Items that begin at this moment or later are out of sample, but for those of days that were
   * seen.
   */
  readonly splitMs: number;
  partOf(startsAtMs: number): Part;
}

/**
 * Splits items by when they begin: the first `RESEARCH.inSamplePercent` of them, and those of the
 * same moment, are in sample; so is everything that begins on one of the `seen` days, for something
 * was chosen or checked there.
 */
export function splitByTime(
  startsMs: readonly number[],
  seen: ReadonlySet<string> = SEEN_DAYS,
): Split {
  const sorted = startsMs.toSorted((a, b) => a - b);
  const splitMs = sorted[Math.floor((sorted.length * RESEARCH.inSamplePercent) / 100)] ?? Infinity;
  return {
    splitMs,
    partOf: (startsAtMs) =>
      startsAtMs < splitMs || seen.has(dayOf(startsAtMs)) ? 'in sample' : 'out of sample',
  };
}
