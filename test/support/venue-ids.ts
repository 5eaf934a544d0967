import { asId, type MechanismId, type VenueId } from '../../src/domain/ids.ts';

/** The venue most tests trade on, and two that differ from it by their names alone. */
export const VENUE_A = asId<VenueId>('venue_a');
export const VENUE_B = asId<VenueId>('venue_b');
export const VENUE_C = asId<VenueId>('venue_c');
/** A view-only one. */
export const VENUE_D = asId<VenueId>('venue_d');

/** The one way in which most venues of tests trade. */
export const ORDER_BOOK = asId<MechanismId>('order_book');
