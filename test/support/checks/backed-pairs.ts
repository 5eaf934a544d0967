import type { LandedTransaction } from '../../../src/sandbox/chains/solana/landed-transaction.ts';
import { USDC } from '../../../src/sandbox/venues/venue-b/chain/settlement.ts';
import type { DirectVenue } from '../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import type { Listing } from '../../../src/sandbox/venues/venue-b/model/listing.ts';

/**
 * Watches from now on what backs the tokens of venue_b's markets, after every transaction that
 * lands, for each market whose tokens it touched: until there is a result vault = Yes supply = No
 * supply, and never less in the vault than the winner's supply. Returns a list that grows by a
 * sentence for each time it was otherwise.
 */
export function watchBacking({
  chain,
  venue,
}: Pick<DirectVenue, 'chain' | 'venue'>): readonly string[] {
  const broken: string[] = [];
  chain.onLanded((transaction) => {
    for (const listing of touchedBy(transaction, venue)) {
      const backing = venue.settlement.backing(listing);
      const { result } = venue.model.state(listing);
      const isBacked =
        result === null
          ? backing.vault === backing.yes && backing.vault === backing.no
          : backing.vault >= backing[result];
      if (!isBacked)
        broken.push(`after ${transaction.signature}: ${listing.ticker} ${JSON.stringify(backing)}`);
    }
  });
  return broken;
}

function touchedBy(
  { preTokenBalances, postTokenBalances }: LandedTransaction,
  { rails }: DirectVenue['venue'],
): ReadonlySet<Listing> {
  const mints = new Set([...preTokenBalances, ...postTokenBalances].map(({ mint }) => mint));
  mints.delete(USDC.mint);
  return new Set([...mints].flatMap((mint) => rails.place(mint)?.listing ?? []));
}
