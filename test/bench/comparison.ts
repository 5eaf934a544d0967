import type { Row } from './row.ts';
import { figure, markdownTable } from './table.ts';

/** The rows of one benchmark, run by run: those of the other commit and those of the sources. */
export interface Runs {
  readonly before: readonly (readonly Row[])[];
  readonly after: readonly (readonly Row[])[];
}

/** One work in both: medians and spreads of the same unit, and what they say. */
export interface Compared {
  readonly work: string;
  readonly unit: string;
  readonly before: Spread;
  readonly after: Spread;
  /** Median after ÷ median before. */
  readonly ratio: number;
  /**
   * A difference counts only where the spreads do not overlap: every run of one is on the same side
   * of every run of the other.
   */
  readonly verdict: 'within the spread' | 'lower' | 'higher';
}

/** Of several runs of one figure. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Compares what both have, work by work. A work that only one of them has, or that lacks a run, is
 * named in `missing`.
 */
export function compare({ before, after }: Runs): {
  readonly compared: readonly Compared[];
  readonly missing: readonly string[];
} {
  const [one, other] = [figuresOf(before), figuresOf(after)];
  const compared: Compared[] = [];
  const missing: string[] = [];
  for (const [key, { work, unit }] of new Map([...one, ...other])) {
    const [old, now] = [one.get(key)?.figures, other.get(key)?.figures];
    if (old?.length === before.length && now?.length === after.length)
      compared.push(comparedOf({ work, unit }, spreadOf(old), spreadOf(now)));
    else missing.push(`${work} (${unit}): ${old?.length ?? 0} and ${now?.length ?? 0} runs`);
  }
  return { compared, missing };
}

/** The comparison as a Markdown table. */
export function comparisonTable(compared: readonly Compared[], commit: string): string {
  return markdownTable(
    [
      { title: 'work', isFigure: false },
      { title: commit, isFigure: true },
      { title: 'now', isFigure: true },
      { title: 'now ÷ before', isFigure: true },
      { title: 'unit', isFigure: false },
      { title: 'difference', isFigure: false },
    ],
    compared.map(({ work, unit, before, after, ratio, verdict }) => [
      work,
      spreadText(before),
      spreadText(after),
      Number.isFinite(ratio) ? `${ratio.toFixed(2)} ×` : '',
      unit,
      verdict,
    ]),
  );
}

function spreadText({ median, least, most }: Spread): string {
  return `${figure(median)} (${figure(least)} to ${figure(most)})`;
}

function comparedOf(
  { work, unit }: Pick<Compared, 'work' | 'unit'>,
  before: Spread,
  after: Spread,
): Compared {
  const apart = after.most < before.least || after.least > before.most;
  const side = after.median < before.median ? 'lower' : 'higher';
  return {
    work,
    unit,
    before,
    after,
    ratio: after.median / before.median,
    verdict: apart ? side : 'within the spread',
  };
}

interface Figures {
  readonly work: string;
  readonly unit: string;
  readonly figures: readonly number[];
}

function figuresOf(runs: readonly (readonly Row[])[]): ReadonlyMap<string, Figures> {
  const found = new Map<string, Figures>();
  for (const { work, unit, ours } of runs.flat()) {
    const key = `${work} ${unit}`;
    found.set(key, { work, unit, figures: [...(found.get(key)?.figures ?? []), ours] });
  }
  return found;
}

/** Median, least and most of some figures. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return {
    median: Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle)),
    least: at(0),
    most: at(sorted.length - 1),
  };
}
