import { describe, expect, it } from 'vitest';
import { asId, type MechanismId } from '../../src/domain/ids.ts';
import { createVenues } from '../../src/services/venues.ts';
import { aTradedVenue } from '../support/traded-venues.ts';
import { ORDER_BOOK, VENUE_A, VENUE_B, VENUE_C } from '../support/venue-ids.ts';

const CURVE = asId<MechanismId>('curve');

describe('venues by their mechanisms', () => {
  const book = aTradedVenue({ id: VENUE_C });
  const curve = aTradedVenue({ id: VENUE_C, mechanism: CURVE });
  const sole = aTradedVenue();
  const venues = createVenues(
    [sole, book, curve],
    [{ id: VENUE_B, cashAccount: 'usdc:solana', reason: 'down' }],
  );

  it('are one venue each, by whichever of them an intent or a market names', () => {
    expect(venues.open.map(({ id }) => id)).toEqual([VENUE_A, VENUE_C]);
    expect(venues.trading({ venue: VENUE_C, mechanism: CURVE })).toBe(curve);
    expect(venues.trading({ venue: VENUE_C, mechanism: ORDER_BOOK })).toBe(book);
    expect(venues.mechanisms(VENUE_C)).toEqual([book, curve]);
    expect(venues.mechanisms()).toEqual([sole, book, curve]);
  });

  it('are the first where none is named, which was the sole one when it was stored', () => {
    expect(venues.trading({ venue: VENUE_A })).toBe(sole);
    expect(venues.trading({ venue: VENUE_C })).toBe(book);
  });

  it.each([
    ['a mechanism that the venue has no more', VENUE_A, 'venue_unavailable', true],
    ['a venue that is closed', VENUE_B, 'venue_unavailable', true],
    ['an unknown venue', asId<typeof VENUE_A>('venue_z'), 'not_found', false],
  ])('are not those of %s', (_, venue, code, retryable) => {
    expect(() => venues.trading({ venue, mechanism: CURVE })).toThrow(
      expect.objectContaining({ code, retryable }),
    );
  });
});
