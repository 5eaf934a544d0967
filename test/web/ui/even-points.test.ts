import { describe, expect, it } from 'vitest';
import { evenPoints } from '../../../src/web/ui/even-points.ts';

const stepsOf = (times: readonly number[]) =>
  new Set(times.slice(1).map((time, index) => time - (times[index] ?? 0)));

describe('the axis of a chart', () => {
  it('is even where minutes of the past come before seconds of now', () => {
    const past = Array.from({ length: 60 }, (_each, index) => ({ time: index * 60, value: index }));
    const now = Array.from({ length: 90 }, (_each, index) => ({ time: 3_600 + index, value: 99 }));
    const even = evenPoints([...past, ...now]);
    expect(stepsOf(even.map(({ time }) => time))).toEqual(new Set([10]));
    expect(even.at(0)).toEqual({ time: 0, value: 0 });
    expect(even.at(-1)).toEqual({ time: 3_680, value: 99 });
  });

  it('shows at each step the last value by its end, and the one before where nothing came', () => {
    const points = [
      { time: 0, value: 1 },
      { time: 3, value: 2 },
      { time: 4, value: 3 },
      { time: 960, value: 4 },
    ];
    const even = evenPoints(points);
    expect(even.slice(0, 3)).toEqual([
      { time: 0, value: 3 },
      { time: 5, value: 3 },
      { time: 10, value: 3 },
    ]);
    expect(even.at(-1)).toEqual({ time: 960, value: 4 });
  });

  it.each([0, 60, 3_600, 30 * 86_400, 20 * 365 * 86_400])(
    'has no more points over %i s than a screen tells apart',
    (span) => {
      const even = evenPoints([
        { time: 1_700_000_000, value: 1 },
        { time: 1_700_000_000 + span, value: 2 },
      ]);
      expect(even.length).toBeLessThanOrEqual(482);
      expect(even.at(-1)?.value).toBe(2);
    },
  );

  it('is empty without points', () => {
    expect(evenPoints([])).toEqual([]);
  });

  it('leaves a gap a gap', () => {
    expect(
      evenPoints([
        { time: 0, value: 4 },
        { time: 1, value: 4, isGap: true },
        { time: 2, value: 5 },
      ]),
    ).toEqual([
      { time: 0, value: 4 },
      { time: 1, value: 4, isGap: true },
      { time: 2, value: 5 },
    ]);
  });
});
