import { describe, expect, it } from 'vitest';
import { exactMoment } from '../../../src/web/format/time.ts';
import { gapWords } from '../../../src/web/pages/portfolio/gap-words.ts';
import type { ChartPoint } from '../../../src/web/ui/even-points.ts';

/** A point a second, each known ("x") or a gap ("-"). */
const curve = (steps: string): readonly ChartPoint[] =>
  [...steps].map((step, time) => ({ time, value: 5, ...(step === '-' ? { isGap: true } : {}) }));
const span = (from: number, to: number): string =>
  `from ${exactMoment(from * 1_000)} to ${exactMoment(to * 1_000)}`;

describe('the gaps of a curve', () => {
  it('are said with why and when, each until the next point with a price', () => {
    expect(gapWords(curve('xx--x'))).toBe(
      `The line has a gap, where a position had no price: ${span(2, 4)}.`,
    );
    expect(gapWords(curve('x-x--x'))).toBe(
      `The line has 2 gaps, where a position had no price: ${span(3, 5)}, ${span(1, 2)}.`,
    );
  });

  it('are counted beyond three, of which the newest are named', () => {
    expect(gapWords(curve('x-x-x-x-x'))).toBe(
      `The line has 4 gaps, where a position had no price: the newest ${span(7, 8)}, ${span(5, 6)}, ${span(3, 4)}.`,
    );
  });

  it('say nothing of a curve without one, nor of one that has not ended', () => {
    expect(gapWords(curve('xxx'))).toBeNull();
    expect(gapWords(curve('xx--'))).toBeNull();
    expect(gapWords([])).toBeNull();
  });

  it('are those that are drawn, and none that is shorter than a step of the axis', () => {
    const day = curve('x-x').map((point, index) => ({
      ...point,
      time: index === 2 ? 86_400 : index,
    }));
    expect(gapWords(day)).not.toBeNull();
    const within = curve('x-xx').map((point, index) => ({
      ...point,
      time: index === 3 ? 86_400 : index,
    }));
    expect(gapWords(within)).toBeNull();
  });
});
