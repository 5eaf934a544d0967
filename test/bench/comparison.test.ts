import { describe, expect, it } from 'vitest';
import { compare, comparisonTable } from './comparison.ts';
import type { Row } from './row.ts';

const run = (ours: number, work = 'sign', unit = 'µs'): readonly Row[] => [
  { work, ours, unit, peer: null, bar: null },
];

describe('a comparison of two builds', () => {
  it.each([
    ['lower where every run is below every run before', [10, 12, 11], [7, 9, 8], 'lower', 8 / 11],
    ['higher where every run is above', [10, 12, 11], [13, 15, 14], 'higher', 14 / 11],
    [
      'no difference where one run lies among the others',
      [10, 12, 11],
      [7, 10, 8],
      'within the spread',
      8 / 11,
    ],
  ])('is %s', (_, before, after, verdict, ratio) => {
    const { compared } = compare({
      before: before.map((ours) => run(ours)),
      after: after.map((ours) => run(ours)),
    });
    expect(compared).toMatchObject([{ work: 'sign', verdict, ratio }]);
  });

  it('takes the middle of an even number of runs', () => {
    const runs = [1, 2, 4, 100].map((ours) => run(ours));
    const { compared } = compare({ before: runs, after: runs });
    expect(compared[0]?.before).toEqual({ median: 3, least: 1, most: 100 });
  });

  it('names what one of them does not measure, or not in every run, or in another unit', () => {
    const { compared, missing } = compare({
      before: [[...run(1, 'old'), ...run(1, 'both')], run(1, 'both')],
      after: [[...run(1, 'new'), ...run(1, 'both', 'ms')], run(1, 'both', 'ms')],
    });
    expect(compared).toEqual([]);
    expect(missing).toEqual([
      'old (µs): 1 and 0 runs',
      'both (µs): 2 and 0 runs',
      'new (µs): 0 and 1 runs',
      'both (ms): 0 and 2 runs',
    ]);
  });

  it('prints medians with their spread and the ratio', () => {
    const { compared } = compare({
      before: [10, 12, 11].map((ours) => run(ours)),
      after: [20, 24, 22].map((ours) => run(ours)),
    });
    expect(comparisonTable(compared, '3ae5b3a0').split('\n').at(-1)).toBe(
      '| sign | 11 (10 to 12) | 22 (20 to 24) |       2.00 × | µs   | higher     |',
    );
  });
});
