import { NO_POSITIONS, withPartlySold, withPosition } from '../../domain/agent-results.ts';
import type { UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import {
  POSITION_TIMES,
  POSITIONS,
  TRADED_MARKETS,
  VENUE_RESULTS,
  type VenueResults,
} from './tables.ts';

/**
 * What a user's positions came to at each venue. Where nothing was kept yet, as before the first
 * position and in older stores, all positions are read.
 */
export function venueResultsOf(reader: StoreReader, userId: UserId): VenueResults {
  const kept = reader.get(VENUE_RESULTS, [userId])?.value;
  if (kept !== undefined) return kept;
  return reader
    .range(POSITIONS, { prefix: [userId] })
    .reduce((results, { value }) => counted(reader, results, { before: null, after: value }), {});
}

/** What positions came to at each venue, with what open ones brought that were sold in part. */
export function venueResultsWithSales(reader: StoreReader, userId: UserId): VenueResults {
  return reader
    .range(POSITION_TIMES, { prefix: [userId, 'open'] })
    .flatMap(({ key }) => reader.get(POSITIONS, [userId, String(key.at(-1))])?.value ?? [])
    .reduce(
      (results, position) => {
        const venue = reader.get(TRADED_MARKETS, [position.marketId])?.value.venue;
        if (venue === undefined) return results;
        return { ...results, [venue]: withPartlySold(results[venue] ?? NO_POSITIONS, [position]) };
      },
      venueResultsOf(reader, userId),
    );
}

/** Takes a position's change into what its venue's came to. Call before the change is written. */
export function countAtVenue(
  tx: StoreWriter,
  before: PositionRecord | null,
  after: PositionRecord,
): void {
  const { userId } = after;
  tx.put(VENUE_RESULTS, [userId], counted(tx, venueResultsOf(tx, userId), { before, after }));
}

/** Shares that came by another hand, in a market never traded here, are at no venue. */
function counted(
  reader: StoreReader,
  results: VenueResults,
  { before, after }: { readonly before: PositionRecord | null; readonly after: PositionRecord },
): VenueResults {
  const venue = reader.get(TRADED_MARKETS, [after.marketId])?.value.venue;
  if (venue === undefined) return results;
  return { ...results, [venue]: withPosition(results[venue] ?? NO_POSITIONS, before, after) };
}
