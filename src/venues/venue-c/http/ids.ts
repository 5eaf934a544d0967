import type { VenueIds } from '../../../http/venue-api.ts';

/** Ids of venue_c (venue_c.md section 4): slugs, decimal numbers of 256 bits, UUIDs. */
export const VENUE_C_IDS: VenueIds = {
  market: {
    pattern: '[0-9A-Za-z][0-9A-Za-z._-]{0,199}',
    refusal: 'a slug: letters, digits, and - . _ within',
    description: 'The slug of the market.',
  },
  token: {
    pattern: '[1-9][0-9]{0,77}',
    refusal: 'a whole number in decimal digits',
    description: 'The position id of an outcome.',
  },
  order: {
    pattern: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    refusal: "our id or the venue's",
  },
  book: 'market',
};
