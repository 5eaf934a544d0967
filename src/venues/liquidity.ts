import type { MarketListing } from '../domain/market-listing.ts';

/** Returns the liquidity of the markets that state theirs, USD; null where none of them does. */
export function liquidityOf(markets: readonly Pick<MarketListing, 'market'>[]): number | null {
  const stated = markets.flatMap(({ market: { liquidityUsd } }) => liquidityUsd ?? []);
  return stated.length === 0 ? null : stated.reduce((sum, usd) => sum + usd, 0);
}
