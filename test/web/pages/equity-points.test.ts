import { describe, expect, it } from 'vitest';
import {
  deepestFall,
  fallsOf,
  pointsOf,
  profitPointsOf,
} from '../../../src/web/pages/portfolio/equity-points.ts';

const at = (
  sampledAtMs: number,
  equityUsdc: string,
  broughtInUsdc: string | null = '0',
  unvalued: readonly unknown[] = [],
) => ({ sampledAtMs, equityUsdc, broughtInUsdc, unvalued });

describe('a curve of equity', () => {
  it('begins at its border with what there was before', () => {
    expect(pointsOf({ before: at(1_000, '10'), data: [at(9_000, '12.5')] }, 5_000)).toEqual([
      { time: 5, value: 10 },
      { time: 9, value: 12.5 },
    ]);
  });

  it('has one point a second, the newest, in the order of time', () => {
    expect(
      pointsOf({ before: null, data: [at(2_900, '3'), at(2_100, '1'), at(1_000, '2')] }, 0),
    ).toEqual([
      { time: 1, value: 2 },
      { time: 2, value: 1 },
    ]);
  });

  it('shows no deposit and no withdrawal as a profit or a loss', () => {
    const history = {
      before: at(1_000, '1000.83', '1000'),
      data: [at(6_000, '2000', '2000'), at(9_000, '1490.5', '1500')],
    };
    expect(profitPointsOf(history, 5_000)).toEqual([
      { time: 5, value: 0.83 },
      { time: 6, value: 0 },
      { time: 9, value: -9.5 },
    ]);
    expect(profitPointsOf({ ...history, before: at(1_000, '1', null) }, 5_000)).toBeNull();
    // less was brought in than taken out: what was won was withdrawn
    expect(profitPointsOf({ before: null, data: [at(1_000, '2', '-3.25')] }, 0)).toEqual([
      { time: 1, value: 5.25 },
    ]);
  });

  it('has a gap, and no fall, where a position of a point had no price', () => {
    const unpriced = [{ positions: 1 }];
    const history = {
      before: at(1_000, '3', '0', unpriced),
      data: [at(6_000, '10'), at(9_000, '5.1', '0', unpriced), at(12_000, '10.4')],
    };
    expect(pointsOf(history, 5_000)).toEqual([
      { time: 6, value: 10 },
      { time: 9, value: 10, isGap: true },
      { time: 12, value: 10.4 },
    ]);
    const profits = profitPointsOf(history, 5_000) ?? [];
    expect(deepestFall(fallsOf(profits))).toBe(0);
    expect(fallsOf(profits)[1]).toMatchObject({ isGap: true });
  });

  it('fell from the height before, not from the highest of all', () => {
    const points = [10, 14, 11, 13, 20, 19].map((value, time) => ({ time, value }));
    expect(fallsOf(points).map(({ value }) => value)).toEqual([0, 0, -3, -1, 0, -1]);
    expect(deepestFall(fallsOf(points))).toBe(3);
    expect(deepestFall([])).toBe(0);
  });
});
