import type { Market } from '../../../src/domain/market.ts';
import type { MarketDirectory } from '../../../src/ports/catalogue.ts';
import { aMarketListing } from '../builders.ts';
import type { Line } from './line.ts';

/** The example venue's markets. */
export function exampleCatalogue(
  { exchange, call }: Line,
  markets: readonly Market[],
): MarketDirectory {
  const find = (is: (market: Market) => boolean) =>
    call(() => {
      const found = markets.find(is);
      return found === undefined
        ? null
        : { ...found, closed: exchange.payouts.has(found.marketId) };
    });
  const nothing = async () => ({ data: [], nextCursor: null });
  return {
    market: (marketId) => find((market) => market.marketId === marketId),
    marketOfToken: (tokenId) =>
      find(({ outcomes }) => outcomes.some((outcome) => outcome.tokenId === tokenId)),
    markets: ({ limit }) =>
      call(() => ({
        data: markets.slice(0, limit).map((market) => aMarketListing(market)),
        nextCursor: null,
      })),
    async listing(idOrSlug) {
      const market = await find(({ marketId, slug }) => marketId === idOrSlug || slug === idOrSlug);
      return market === null ? null : aMarketListing(market);
    },
    events: nothing,
    event: async () => null,
    series: nothing,
    resolution: (marketId) =>
      call(() => {
        const end = exchange.payouts.get(marketId);
        return end === undefined
          ? null
          : { marketId, payoutTicks: end.ticks, resolvedAtMs: end.atMs };
      }),
    whaleTrades: async () => [],
  };
}
