import type { VenueRow } from './contract.ts';
import { venueA } from './venue-a/venue.ts';
import { venueB } from './venue-b/venue.ts';
import { venueC } from './venue-c/venue.ts';

/** Every venue, one row each, in the order in which they are opened and shown. */
export const VENUES: readonly VenueRow[] = [venueA, venueB, venueC];
