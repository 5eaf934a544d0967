import { expect, it } from 'vitest';
import { explainDeposit } from '../../src/domain/deposit-reason.ts';

it('a payment the bridge will not credit says which rule of the bridge it is against', () => {
  expect([
    explainDeposit({ state: 'detected', problem: 'token_not_taken' }),
    explainDeposit({ state: 'failed', problem: 'below_minimum' }),
  ]).toEqual([
    'The bridge does not take this token on that chain. It will not be credited.',
    'It is less than the least the bridge takes of this token. What was sent stays with the bridge.',
  ]);
});

it('a failure that the bridge does not explain is said to be unexplained', () => {
  expect(explainDeposit({ state: 'failed', problem: null })).toBe(
    'The bridge reports that it failed and does not say why. What was sent stays with the bridge.',
  );
});

it('every state is explained but those of a payment that goes its way', () => {
  const states = [
    'detected',
    'processing',
    'origin_confirmed',
    'submitted',
    'arriving',
    'unproven',
    'completed',
    'failed',
    'vanished',
  ] as const;
  expect(states.filter((state) => explainDeposit({ state, problem: null }) !== null)).toEqual([
    'unproven',
    'failed',
    'vanished',
  ]);
});
