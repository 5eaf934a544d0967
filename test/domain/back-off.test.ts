import { describe, expect, it } from 'vitest';
import { backOffMs } from '../../src/domain/back-off.ts';

describe('a wait that grows', () => {
  const bounds = { firstMs: 100, maximumMs: 1_000 };

  it.each([
    [0, 100],
    [1, 200],
    [3, 800],
    [4, 1_000],
    [5_000, 1_000],
    [-1, 100],
  ])('after %d failures more than the first', (failures, waitMs) => {
    expect(backOffMs(failures, bounds)).toBe(waitMs);
  });

  it('never is longer than its maximum, not the first either', () => {
    expect(backOffMs(0, { firstMs: 5_000, maximumMs: 1_000 })).toBe(1_000);
  });
});
