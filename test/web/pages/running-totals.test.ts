import { expect, it } from 'vitest';
import { shares } from '../../../src/web/format/money.ts';
import type { Level } from '../../../src/web/live/book.ts';
import { runningTotals } from '../../../src/web/pages/markets/running-totals.ts';

const LEVELS: readonly Level[] = [
  { price: '0.32', size: '10.15' },
  { price: '0.33', size: '409.62' },
  { price: '0.34', size: '0.1' },
];

it('the shares up to a level keep the decimals of their sizes', () => {
  expect(runningTotals(LEVELS, 3).map(shares)).toEqual(['10.15', '419.77', '419.87']);
});

it('no level beyond the rows of the ladder is added up', () => {
  expect(runningTotals(LEVELS, 2)).toHaveLength(2);
  expect(runningTotals([], 2)).toEqual([]);
});
