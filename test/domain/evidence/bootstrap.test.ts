import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import {
  bootstrapLowerBound,
  bootstrapMean,
  quantile,
} from '../../../src/domain/evidence/bootstrap.ts';

const picker = (seed: number) => {
  const random = createSeededRandom(seed);
  return (bound: number) => random.integer(bound);
};
const options = (seed: number) => ({ draws: 4_000, tail: 0.025, pick: picker(seed) });
/** Gives these places one after another, and no more. */
const picking = (...places: readonly number[]) => {
  const left = places[Symbol.iterator]();
  return (): number => {
    const { value } = left.next();
    if (value === undefined) throw new RangeError('drawn once too often');
    return value;
  };
};
const alternating = Array.from({ length: 400 }, (_value, index) => [index % 2]);

describe('the bootstrap of a mean', () => {
  it('lies between the means of the resamples in proportion', () => {
    // Their means are 4, 2, 6 and 3.25.
    const pick = picking(0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 3, 3, 1, 1, 1, 3);
    expect(bootstrapMean([[1], [3], [8], [4]], { draws: 4, tail: 0.25, pick })).toEqual({
      estimate: 4,
      low: 2.9375,
      high: 4.5,
    });
  });

  it('comes near the interval of theory: half ± 1.96 × 0.5 ÷ √400 for a fair coin', () => {
    const interval = bootstrapMean(alternating, options(1));
    expect(interval?.estimate).toBe(0.5);
    expect(interval?.low).toBeCloseTo(0.451, 2);
    expect(interval?.high).toBeCloseTo(0.549, 2);
  });

  it('is wider where the values of a cluster go together: ten clusters of forty know as much as ten values', () => {
    const together = Array.from({ length: 10 }, (_value, index) =>
      Array.from({ length: 40 }, () => index % 2),
    );
    const [apart, joint] = [
      bootstrapMean(alternating, options(1)),
      bootstrapMean(together, options(1)),
    ];
    const width = (interval: typeof apart): number => (interval?.high ?? 0) - (interval?.low ?? 0);
    expect(width(joint) / width(apart)).toBeGreaterThan(5);
  });

  it('gives the same interval for the same numbers, and the value itself where nothing varies', () => {
    expect(bootstrapMean(alternating, options(7))).toEqual(bootstrapMean(alternating, options(7)));
    expect(bootstrapMean([[2], [2, 2]], options(1))).toEqual({ estimate: 2, low: 2, high: 2 });
    expect(bootstrapMean([[], []], options(1))).toBeNull();
  });

  it('draws every cluster as likely as any other', () => {
    const bounds = new Set<number>();
    const pick = (bound: number): number => {
      bounds.add(bound);
      return 0;
    };
    bootstrapMean([[1], [], [2], [3]], { draws: 3, tail: 0.1, pick });
    bootstrapLowerBound([[1], [], [2], [3]], { draws: 3, tail: 0.1, pick });
    expect([...bounds]).toEqual([3]);
  });

  it('weighs clusters by their values', () => {
    expect(bootstrapMean([[1, 1, 1], [0]], options(1))?.estimate).toBe(0.75);
  });
});

describe('the lower bound of a mean', () => {
  it.each([
    [0.25, 4 - Math.sqrt(3) * Math.sqrt(26 / 12)],
    [0.5, 4],
    [0.75, 4 + 3 * Math.sqrt(26 / 12)],
  ])(
    'lies as many standard errors below the mean as the resamples’ own lie above it: tail %f',
    (tail, bound) => {
      // Student's t of the resamples is 0, −2√3, √3 and −3.
      const pick = picking(0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 3, 3, 1, 1, 1, 3);
      expect(bootstrapLowerBound([[1], [3], [8], [4]], { draws: 4, tail, pick })).toBeCloseTo(
        bound,
        12,
      );
    },
  );

  it('weighs clusters by their values, and their spread by what each is off the mean of them all', () => {
    const clusters = [[2, 2], [6], [1, 2, 3]];
    const spread = (taken: readonly (readonly number[])[]) => {
      const values = taken.flat();
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const off = taken.map((cluster) => cluster.reduce((sum, value) => sum + value - mean, 0));
      const squares = off.reduce((sum, each) => sum + each * each, 0);
      return { mean, error: Math.sqrt((squares * 3) / 2) / values.length };
    };
    const whole = spread(clusters);
    const drawn = spread([[2, 2], [2, 2], [6]]);
    expect(
      bootstrapLowerBound(clusters, { draws: 1, tail: 0.025, pick: picking(0, 0, 1) }),
    ).toBeCloseTo(whole.mean - ((drawn.mean - whole.mean) / drawn.error) * whole.error, 12);
  });

  it('comes near theory for a fair coin: half less 1.96 × 0.5 ÷ √400', () => {
    expect(bootstrapLowerBound(alternating, options(1))).toBeCloseTo(0.451, 2);
  });

  it('is that of other values in other units, however small or large', () => {
    const bound = (unit: number) =>
      bootstrapLowerBound([[1 * unit], [3 * unit], [8 * unit], [4 * unit]], options(3)) ?? 0;
    for (const unit of [1e-9, 1e9]) expect(bound(unit) / unit).toBeCloseTo(bound(1), 9);
  });

  it('takes a resample without spread for no further off than its mean', () => {
    const bound = (...places: readonly number[]) =>
      bootstrapLowerBound([[1], [2], [3]], { draws: 1, tail: 0.5, pick: picking(...places) });
    expect([bound(1, 1, 1), bound(2, 2, 2)]).toEqual([2, -Infinity]);
  });

  it('takes no rest of rounding for spread', () => {
    for (const value of [0.1, 0.3, 1.1, 1e-7, 1e7 / 3]) {
      const equal = [1, 2, 3, 7].map((count) => Array.from({ length: count }, () => value));
      expect((bootstrapLowerBound(equal, options(5)) ?? 0) / value).toBeCloseTo(1, 12);
      expect(
        (bootstrapLowerBound(equal, { draws: 1, tail: 0.5, pick: picking(0, 0, 0, 0) }) ?? 0) /
          value,
      ).toBeCloseTo(1, 12);
    }
  });

  it('lies lower than the percentile one where losses are seldom and large', () => {
    const seldom = Array.from({ length: 100 }, (_value, index) => [index % 20 === 0 ? -1 : 0.1]);
    const [bound, percentile] = [
      bootstrapLowerBound(seldom, options(1)),
      bootstrapMean(seldom, options(1)),
    ];
    expect(bound).toBeLessThan(percentile?.low ?? 0);
  });

  it('is the value itself where nothing varies, nothing without values, and bottomless where too little was seen', () => {
    expect(bootstrapLowerBound([[0.1], [0.1], [0.1]], options(1))).toBeCloseTo(0.1, 12);
    expect(bootstrapLowerBound([[]], options(1))).toBeNull();
    expect(bootstrapLowerBound([[0.1], [0.1], [0.1], [-1]], options(1))).toBe(-Infinity);
  });
});

describe('a quantile', () => {
  it('lies between neighbours in proportion, as R has it by default', () => {
    expect([0, 0.1, 0.5, 1].map((share) => quantile([1, 2, 3, 4], share))).toEqual([
      1, 1.3, 2.5, 4,
    ]);
  });
});
