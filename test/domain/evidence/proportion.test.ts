import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../../src/domain/evidence/proportion.ts';

describe('the Wilson interval', () => {
  // R. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is the published one', (hits, trials, low, high) => {
    const interval = wilsonInterval(hits, trials);
    expect([interval?.low.toFixed(4), interval?.high.toFixed(4)]).toEqual([
      low.toFixed(4),
      high.toFixed(4),
    ]);
  });

  it('says nothing about no trials', () => {
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});
