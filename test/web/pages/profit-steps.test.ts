import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profitSteps, spreadOf } from '../../../src/web/pages/agents/profit-steps.ts';

describe('results of closed positions', () => {
  it('add up in the order they ended, a point a second', () => {
    expect(
      profitSteps([
        { atMs: 9_500, profit: 2 },
        { atMs: 1_000, profit: -1 },
        { atMs: 9_000, profit: 0.5 },
      ]),
    ).toEqual([
      { time: 1, value: -1 },
      { time: 9, value: 1.5 },
    ]);
  });

  it('are spread in steps that meet at zero, so that no step holds wins beside losses', () => {
    expect(spreadOf([-5, -4.9, 1.2, 4.9])).toEqual([
      { from: -5, to: -2.5, count: 2 },
      { from: -2.5, to: 0, count: 0 },
      { from: 0, to: 2.5, count: 1 },
      { from: 2.5, to: 5, count: 1 },
    ]);
    expect(spreadOf([])).toEqual([]);
  });

  it('are each counted once, in nine rows at most', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -500_000, max: 500_000 }), { minLength: 1, maxLength: 60 }),
        (cents) => {
          const rows = spreadOf(cents.map((each) => each / 100));
          expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(cents.length);
          expect(rows.length).toBeLessThanOrEqual(9);
        },
      ),
    );
  });
});
