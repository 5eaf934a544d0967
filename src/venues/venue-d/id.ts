import { asId, type VenueId } from '../../domain/ids.ts';

/** The id of this venue's row. */
export const VENUE_D_ID = asId<VenueId>('venue_d');
