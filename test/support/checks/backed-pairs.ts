import type { DirectVenue } from '../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import type { Listing } from '../../../src/sandbox/venues/venue-b/model/listing.ts';

/**
 * Watches from now on what backs the tokens of a market of venue_b, after every transaction that
 * lands: until there is a result vault = Yes supply = No supply, and never less in the vault than
 * the winner's supply. Returns a list that grows by a sentence for each transaction after which it
 * was otherwise.
 */
export function watchBacking(
  { chain, venue }: Pick<DirectVenue, 'chain' | 'venue'>,
  listing: Listing,
): readonly string[] {
  const broken: string[] = [];
  chain.onLanded(({ signature }) => {
    const backing = venue.settlement.backing(listing);
    const { result } = venue.model.state(listing);
    const isBacked =
      result === null
        ? backing.vault === backing.yes && backing.vault === backing.no
        : backing.vault >= backing[result];
    if (!isBacked) broken.push(`after ${signature}: ${JSON.stringify(backing)}`);
  });
  return broken;
}
