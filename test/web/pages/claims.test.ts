import { describe, expect, it } from 'vitest';
import {
  type AnsweredClaim,
  claimSentence,
  wonOf,
} from '../../../src/web/pages/portfolio/claims.ts';

type Held = Parameters<typeof wonOf>[0][number];

function held(venue: string, isReedemable: boolean, currentValueUsdc: string | null): Held {
  // what can be claimed is read of these fields alone
  return { venue, position: { isReedemable, currentValueUsdc } } as Held;
}

describe('what can be claimed', () => {
  it('is what was won where winners are paid by a transaction that can be asked for', () => {
    const won = wonOf([
      held('venue_c', true, '5.02'),
      held('venue_c', false, '3'),
      held('venue_b', true, '7'),
      held('venue_a', true, '1.5'),
    ]);
    expect([won.venues, won.positions.length, won.worth]).toEqual([
      ['venue_a', 'venue_c'],
      2,
      '6.520000',
    ]);
    expect(wonOf([held('venue_b', true, '7')]).venues).toEqual([]);
  });

  it('is worth what is not known where one of it has no worth', () => {
    expect(wonOf([held('venue_c', true, null)]).worth).toBeNull();
  });
});

describe('how far a claim is', () => {
  const claim: AnsweredClaim = {
    marketId: 'm',
    question: 'Up or down?',
    state: 'redeeming',
    amount: '5.02',
    reason: null,
  };

  it.each<[AnsweredClaim['state'], string | null, boolean, string]>([
    ['redeeming', null, false, 'is on its way: its transaction is not final yet.'],
    ['redeeming', null, true, 'was paid out, and is in your cash.'],
    ['redeemed', null, false, 'was paid out, and is in your cash.'],
    [
      'waiting',
      'It has not ended.',
      false,
      'waits to be paid out, which happens by itself. It has not ended.',
    ],
    [
      'failed',
      'It went wrong.',
      false,
      'could not be paid out yet, and is tried again by itself. It went wrong.',
    ],
  ])('%s, for the reason %s, paid since: %s', (state, reason, isPaid, words) => {
    expect(claimSentence({ ...claim, state, reason }, isPaid)).toBe(
      `$5.02 of “Up or down?” ${words}`,
    );
  });
});
