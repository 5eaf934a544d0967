import { useRead } from '../../api/query.ts';
import type { Market } from '../../api/venues.ts';
import type { AmountLimits } from './amount-limits.ts';

/** What one holds of an outcome by hand, null where that is nothing, and what an order can take. */
export function useLimits(market: Market, side: 'yes' | 'no') {
  const { data } = useRead('GET /api/portfolio/', {});
  const held =
    data?.positions.find(
      ({ venue, position }) =>
        venue === market.venue &&
        position.marketId === market.marketId &&
        position.side === side &&
        position.agent === null,
    ) ?? null;
  const venue = data?.venues.find((each) => each.venue === market.venue);
  // of a venue that is away its positions are not known
  const isKnown = venue !== undefined && venue.state !== 'unavailable';
  const limits: AmountLimits = {
    available: venue?.cash?.available ?? null,
    held: isKnown ? (held?.position.shares ?? '0') : null,
    sellableShares: isKnown ? (held?.position.sellableShares ?? '0') : null,
  };
  return { held, limits };
}
