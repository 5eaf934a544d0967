import type { MarketDirectory } from '../../ports/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import { createBrowsingLists } from './browsing.ts';
import type { Listing } from './listing.ts';
import { eventOf, listingOf, resolutionOf } from './parse.ts';

export interface DirectoryParts {
  readonly listing: Listing;
  readonly clock: Clock;
}

/** Makes the directory. */
export function createDirectory({ listing, clock }: DirectoryParts): MarketDirectory {
  return {
    market: async (marketId) => (await listing.market(marketId))?.market ?? null,
    marketOfToken: async (tokenId) => (await listing.ofToken(tokenId))?.market ?? null,
    async resolution(marketId) {
      const found = await listing.market(marketId);
      return found === null ? null : resolutionOf(found, clock.nowMs());
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
