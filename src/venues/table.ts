import type { VenueRow } from './contract.ts';
import { venueA } from './venue-a/venue.ts';
import { venueB } from './venue-b/venue.ts';
import { venueC } from './venue-c/venue.ts';
import { venueD } from './venue-d/venue.ts';
import type { ViewRow } from './view-contract.ts';

/** Every venue that is traded at, one row each, in the order in which they are opened and shown. */
export const VENUES: readonly VenueRow[] = [venueA, venueB, venueC];

/** Every view-only venue, in the order in which they are shown. */
export const VIEWS: readonly ViewRow[] = [venueD];
