import { expect, it } from 'vitest';
import { askedOf, askedWords } from '../../../src/web/pages/confirmations/asked.ts';

it('counts the orders of assistants that wait for an answer, and no others', () => {
  const states = ['asked', 'confirmed', 'placed', 'asked', 'expired'];
  const list = states.map((state) => ({ state }));
  expect(askedOf(list)).toBe(2);
  expect(askedOf(undefined)).toBe(0);
  expect([1, 2].map(askedWords)).toEqual([
    'An assistant asks you to confirm an order',
    'Assistants ask you to confirm 2 orders',
  ]);
});
