import { describe, expect, it } from 'vitest';
import { IS_WHOLE, runs, sampled } from './sampled.ts';

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

describe.skipIf(IS_WHOLE)('a sample', () => {
  it('is the same each time, in order, without doubles, and another for another name', () => {
    const drawn = sampled('one', ITEMS, 10);
    expect(drawn).toEqual(sampled('one', ITEMS, 10));
    expect(drawn).toEqual([...new Set(drawn)].sort((one, other) => one - other));
    expect(drawn).toHaveLength(10);
    expect(sampled('other', ITEMS, 10)).not.toEqual(drawn);
  });

  it('is everything where no more is asked for', () => {
    expect(sampled('one', ITEMS, 100)).toBe(ITEMS);
  });

  it('makes few runs', () => {
    expect(runs(2, 9)).toBe(2);
  });
});

describe.runIf(IS_WHOLE)('without samples', () => {
  it('all items are taken and all runs made', () => {
    expect([sampled('one', ITEMS, 10), runs(2, 9)]).toEqual([ITEMS, 9]);
  });
});
