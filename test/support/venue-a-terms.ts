import { VENUE_A_TRAITS } from '../../config/limits/venue-a.ts';
import { venueARules } from '../../src/venues/venue-a/rules.ts';

/** What orders on venue_a are made and booked by. */
export const VENUE_A_TERMS = { rules: venueARules, traits: VENUE_A_TRAITS };
