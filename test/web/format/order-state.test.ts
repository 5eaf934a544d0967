import { expect, it } from 'vitest';
import { orderState } from '../../../src/web/format/order-state.ts';

it.each([
  ['live', '0', 'in the book'],
  ['live', '2', 'in the book'],
  ['cancelled', '0', 'cancelled'],
  ['cancelled', '2', 'filled in part, then cancelled'],
] as const)('an order that is %s with %s shares filled', (state, filledShares, text) => {
  expect(orderState({ state, filledShares })).toBe(text);
});
