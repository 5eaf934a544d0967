import type { VenueIds } from '../../../http/venue-api.ts';

/**
 * Ids of venue_b (venue_b.md sections 6, 8.1 and 9.2): tickers, the mints of outcomes, and the
 * signatures orders are known by.
 */
export const VENUE_B_IDS: VenueIds = {
  market: {
    pattern: '[0-9A-Za-z][0-9A-Za-z._-]{0,99}',
    refusal: 'a ticker: letters, digits, and - . _ within',
    description: 'The ticker of the market.',
  },
  token: {
    pattern: '[1-9A-HJ-NP-Za-km-z]{32,44}',
    refusal: 'the address of a mint in base58',
    description: 'The mint of an outcome.',
  },
  order: { pattern: '[1-9A-HJ-NP-Za-km-z]{64,88}', refusal: "our id or the venue's" },
  book: 'market',
};
