import { asId, type VenueId } from '../../domain/ids.ts';

/** What this venue is called. */
export const VENUE_A_ID = asId<VenueId>('venue_a');
