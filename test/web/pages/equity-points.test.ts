import { describe, expect, it } from 'vitest';
import {
  deepestFall,
  fallsOf,
  pointsOf,
  profitPointsOf,
  upToNow,
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

  it('begins the profit of an account that was made meanwhile at zero, as it did', () => {
    const history = {
      before: null,
      data: [at(6_000, '2998.57', '3000'), at(9_000, '2998.6', '3000')],
    };
    const profits = profitPointsOf(history, 1_000, 2_500) ?? [];
    expect(profits.map(({ time, value }) => [time, value])).toEqual([
      [2, 0],
      [6, -1.43],
      [9, -1.4],
    ]);
    expect(deepestFall(fallsOf(profits))).toBe(1.43);
    // of an older account what there was before is not known here
    expect(profitPointsOf(history, 3_000, 2_500)).toHaveLength(2);
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

  describe('up to now', () => {
    const NOW = {
      totalUsdc: '2941.66',
      unrealizedPnl: '-72.33',
      realizedPnl: '-1.43',
      unpricedPositions: 0,
      books: 'reconciled',
      venues: [{ state: 'ok', isCut: false }],
    };
    const history = {
      before: null,
      data: [at(1_000, '3000', '3000'), at(6_000, '2945.3', '3000')],
    };

    it('ends with the total and the profit that the page shows, though cash came in since', () => {
      const deposited = { ...NOW, totalUsdc: '2991.66' };
      expect(pointsOf(upToNow(history, NOW, 8_000), 0).at(-1)).toEqual({ time: 8, value: 2941.66 });
      expect(pointsOf(upToNow(history, deposited, 8_000), 0).at(-1)?.value).toBe(2991.66);
      for (const now of [NOW, deposited]) {
        const profits = profitPointsOf(upToNow(history, now, 8_000), 0) ?? [];
        expect(profits.at(-1)).toEqual({ time: 8, value: -73.76 });
        expect(deepestFall(fallsOf(profits))).toBe(73.76);
      }
    });

    it('stays as it is where the totals are older, or lack a price, a venue or a part', () => {
      for (const [now, atMs] of [
        [NOW, 6_000],
        [{ ...NOW, unpricedPositions: 1 }, 8_000],
        [{ ...NOW, books: 'unreconciled' }, 8_000],
        [{ ...NOW, venues: [{ state: 'unavailable', isCut: false }] }, 8_000],
        [{ ...NOW, venues: [{ state: 'ok', isCut: true }] }, 8_000],
      ] as const)
        expect(upToNow(history, now, atMs)).toBe(history);
      const empty = { before: null, data: [] };
      expect(upToNow(empty, NOW, 8_000)).toBe(empty);
    });
  });
});
