import { createVenues, type TradedVenue, type Venues } from '../../src/services/venues.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createFakeSigner, FakeVenue } from './fakes/fake-venue.ts';
import { VENUE_A_TERMS } from './venue-a-terms.ts';
import { ORDER_BOOK, VENUE_A } from './venue-ids.ts';

/** What a test says of a venue it trades on. */
export type TradedParts = Partial<TradedVenue>;

/**
 * A venue that trades by venue_a's rules, with what a test says of it; no market is known, no
 * deposit comes, no user is paid.
 */
export function aTradedVenue(parts: TradedParts = {}): TradedVenue {
  return {
    ...VENUE_A_TERMS,
    signer: createFakeSigner(),
    gateway: new FakeVenue(createVirtualClock(0), []),
    id: VENUE_A,
    mechanism: ORDER_BOOK,
    cashAccount: 'usdc:safe',
    markets: { known: () => null, find: () => Promise.resolve(null) },
    books: () => null,
    warmBook: null,
    followBook: () => () => undefined,
    directory: { resolution: () => Promise.resolve(null) },
    accounts: { deposits: () => Promise.resolve([]) },
    access: null,
    identity: null,
    redeemsByOrder: false,
    funds: null,
    ...parts,
  };
}

/** The reader of one such venue. */
export function onOneVenue(parts: TradedParts): Venues {
  return createVenues([aTradedVenue(parts)]);
}
