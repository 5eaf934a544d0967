import type { VenueIds } from '../../../http/venue-api.ts';

/**
 * Ids of venue_a (venue_a.md sections 5.1 and 10): condition ids, ERC-1155 positions and EIP-712
 * digests.
 */
export const VENUE_A_IDS: VenueIds = {
  market: { pattern: '0x[0-9a-f]{64}', refusal: '0x and 64 lower-case hex digits' },
  token: {
    pattern: '\\d{1,78}',
    refusal: 'the token id as decimal digits',
    description: 'An outcome’s token, as decimal digits.',
  },
  order: { pattern: '0x[0-9a-f]{64}', refusal: "our id or the venue's" },
  book: 'token',
};
