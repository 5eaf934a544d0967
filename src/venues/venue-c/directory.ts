import { isRetryable } from '../../domain/errors.ts';
import type { Resolution } from '../../domain/market.ts';
import type { MarketListing } from '../../domain/market-listing.ts';
import type { MarketDirectory } from '../../ports/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import { createBrowsingLists } from './browsing.ts';
import type { Listing } from './listing.ts';
import { endingBy, eventOf, listingOf, resolutionOf, type ListedMarket } from './parse.ts';
import type { PayoutReads } from './payouts.ts';

/** Makes the directory. */
export function createDirectory({
  listing,
  clock,
  payouts,
}: {
  readonly listing: Listing;
  readonly clock: Clock;
  readonly payouts: PayoutReads;
}): MarketDirectory {
  /** What the chain pays where the venue calls a market resolved and names no winner. */
  const paidOf = async (found: ListedMarket): Promise<Resolution['payoutTicks'] | null> =>
    found.wire.status === 'RESOLVED' && resolutionOf(found, clock.nowMs()) === null
      ? payouts(found.own.conditionId)
      : null;
  /** A chain that does not answer keeps no market from being read. */
  async function shown(found: ListedMarket): Promise<MarketListing> {
    const listed = listingOf(found, clock.nowMs());
    const payoutTicks = await paidOf(found).catch((cause: unknown) => {
      if (!isRetryable(cause)) throw cause;
      return null;
    });
    return payoutTicks === null ? listed : { ...listed, ending: endingBy(payoutTicks) };
  }
  return {
    market: async (marketId) => (await listing.market(marketId))?.market ?? null,
    marketOfToken: async (tokenId) => (await listing.ofToken(tokenId))?.market ?? null,
    async resolution(marketId) {
      const found = await listing.market(marketId);
      if (found === null) return null;
      const payoutTicks = await paidOf(found);
      return payoutTicks === null
        ? resolutionOf(found, clock.nowMs())
        : { marketId, payoutTicks, resolvedAtMs: clock.nowMs() };
    },
    ...createBrowsingLists({ listing, clock }),
    async listing(slug) {
      const found = await listing.market(slug);
      return found === null ? null : shown(found);
    },
    async event(slug) {
      const found = await listing.entry(slug);
      if (found === null) return null;
      const [first, ...others] = found.markets;
      return eventOf(found.group, [await shown(first), ...(await Promise.all(others.map(shown)))]);
    },
    // The venue files markets under no series, and lists no large trades of all markets.
    series: () => Promise.resolve({ data: [], nextCursor: null }),
    whaleTrades: () => Promise.resolve([]),
  };
}
