import { expect, it } from 'vitest';
import { middleOf } from '../../src/domain/book.ts';
import { aLevel } from '../support/builders.ts';

it('the middle of a book is a probability, a missing side the end of the range', () => {
  const [bid, ask] = [aLevel(4_000, 1), aLevel(5_000, 1)];
  expect([
    middleOf({ bid, ask }),
    middleOf({ bid, ask: null }),
    middleOf({ bid: null, ask }),
    middleOf({ bid: null, ask: null }),
  ]).toEqual([0.45, 0.7, 0.25, null]);
});
