import type { MarketId } from '../domain/ids.ts';
import type { MarketEnd } from '../domain/market.ts';
import type { Clock } from '../ports/clock.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/**
 * Returns how a market ended whose book the venue does not have, null while it may still have one:
 * a market that opens later takes no orders yet either, so it must be closed or past its end.
 * Errors: those of the directory.
 */
export async function marketEnd(
  directory: Pick<Catalogue, 'market' | 'resolution'>,
  clock: Clock,
  marketId: MarketId,
): Promise<MarketEnd | null> {
  const market = await directory.market(marketId);
  if (market === null) return null;
  const isOver = market.endsAtMs <= clock.nowMs() && !market.acceptingOrders;
  if (!market.closed && !isOver) return null;
  return (await directory.resolution(marketId)) === null ? 'closed' : 'resolved';
}
