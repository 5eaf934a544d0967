import type { MarketDirectory } from '../../ports/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import { createBrowsingLists } from './browsing.ts';
import type { Listing } from './listing.ts';
import { eventOf, listingOf, resolutionOf } from './parse.ts';
import type { PayoutReads } from './payouts.ts';

export interface DirectoryParts {
  readonly listing: Listing;
  readonly clock: Clock;
  readonly payouts: PayoutReads;
}

/** Makes the directory. */
export function createDirectory({ listing, clock, payouts }: DirectoryParts): MarketDirectory {
  return {
    market: async (marketId) => (await listing.market(marketId))?.market ?? null,
    marketOfToken: async (tokenId) => (await listing.ofToken(tokenId))?.market ?? null,
    async resolution(marketId) {
      const found = await listing.market(marketId);
      if (found === null) return null;
      const named = resolutionOf(found, clock.nowMs());
      if (named !== null || found.wire.status !== 'RESOLVED') return named;
      // Without a winner it is voided, or its winner is not stated yet: the chain tells.
      const payoutTicks = await payouts(found.own.conditionId);
      return payoutTicks === null ? null : { marketId, payoutTicks, resolvedAtMs: clock.nowMs() };
    },
    ...createBrowsingLists({ listing, clock }),
    async listing(slug) {
      const found = await listing.market(slug);
      return found === null ? null : listingOf(found, clock.nowMs());
    },
    async event(slug) {
      const found = await listing.entry(slug);
      if (found === null) return null;
      const nowMs = clock.nowMs();
      const [first, ...others] = found.markets;
      return eventOf(found.group, [
        listingOf(first, nowMs),
        ...others.map((one) => listingOf(one, nowMs)),
      ]);
    },
    // The venue files markets under no series, and lists no large trades of all markets.
    series: () => Promise.resolve({ data: [], nextCursor: null }),
    whaleTrades: () => Promise.resolve([]),
  };
}
