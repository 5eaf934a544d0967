import type { MarketId } from '../../../../domain/ids.ts';
import type { Listing } from '../../../engine/listing.ts';
import type { MarketStats } from '../../../engine/market-stats.ts';

/** What was traded in each market of an event, USD; none for an event that is not listed. */
export type EventVolumes = (
  eventId: string,
) => readonly { readonly marketId: MarketId; readonly usd: number }[];

/** Makes the volumes from what is listed, with what was traded before the world began. */
export function createEventVolumes({
  listings,
  stats,
}: {
  readonly listings: () => readonly Listing[];
  readonly stats: MarketStats;
}): EventVolumes {
  return (eventId) =>
    listings()
      .filter(({ event }) => event.eventId === eventId)
      .map(({ market, priorVolumeUsd = 0 }) => ({
        marketId: market.marketId,
        usd: stats.figures(market).volumeUsd + priorVolumeUsd,
      }));
}
