import { expect, it } from 'vitest';
import {
  endOf,
  endSentence,
  isWaiting,
} from '../../../src/web/pages/confirmations/confirmation-end.ts';

it.each([
  ['placed', null, /placed once/],
  ['refused', null, /never placed/],
  ['failed', 'insufficient_funds', /not placed \(insufficient funds\)/],
  ['expired', null, /not answered in time.*ask again/],
  ['expired', 'api_key_invalid', /key that asked was revoked/],
] as const)(
  'an order that is %s (%s) says how it ended, and waits no more',
  (state, failure, said) => {
    expect(endSentence({ state, failure })).toMatch(said);
    expect(isWaiting({ state })).toBe(false);
  },
);

it('an order that was confirmed and could not be placed says why in the list', () => {
  expect(endOf({ state: 'failed', failure: 'insufficient_funds' })).toBe(
    'confirmed, but not placed: insufficient funds',
  );
});

it.each(['asked', 'confirmed'] as const)('an order that is %s waits', (state) => {
  expect(isWaiting({ state })).toBe(true);
});

it('an order that was placed sends the assistant nowhere that would ask for a second one', () => {
  expect(endSentence({ state: 'placed', failure: null })).toBe(
    'You confirmed this order, and it was placed once. Your assistant finds it in the list of orders.',
  );
});
