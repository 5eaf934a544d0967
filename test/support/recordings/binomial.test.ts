import { describe, expect, it } from 'vitest';
import { binomialUpperCount } from './binomial.ts';

describe('the upper count of a binomial variable', () => {
  // 20 tries at one in twenty: P(X <= 3) = 0.98410, P(X <= 2) = 0.92452, as tables of the
  // distribution have it.
  it.each([
    [0.05, 3],
    [0.08, 2],
    [0.01, 4],
  ])('leaves at most %f above it', (tail, count) => {
    expect(binomialUpperCount(20, 0.05, tail)).toBe(count);
  });
});
