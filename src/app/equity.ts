import { AppError } from '../domain/errors.ts';
import { createEquitySamples, type EquitySamples } from '../services/portfolio/equity-samples.ts';
import type { VenueId } from '../domain/ids.ts';
import type { PriceTicks } from '../domain/units.ts';
import type { BookSnapshot } from '../ports/venue-books.ts';
import type { Core } from './core.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Teardown } from './teardown.ts';
import type { VenueStreams } from './venue-streams.ts';

/** The best bid of a book as its venue states it, levels in any order; null without bids. */
export function highestBid({ bids }: Pick<BookSnapshot, 'bids'>): PriceTicks | null {
  return bids.reduce<PriceTicks | null>(
    (best, { price }) => (best === null || price > best ? price : best),
    null,
  );
}

/** Begins to keep what users have by time. */
export function openEquity(runtime: OpenRuntime, core: Core, teardown: Teardown): EquitySamples {
  const streamsOf = (venue: VenueId): VenueStreams | null =>
    core.venues.find((each) => each.venue.id === venue) ?? null;
  const equity = createEquitySamples({
    ...runtime,
    commit: core.trading.commit,
    topOf: (venue, tokenId) => streamsOf(venue)?.books.top(tokenId)?.value ?? null,
    async askBid(venue, tokenId) {
      const source = streamsOf(venue)?.venue.browsing.books;
      if (source === undefined) throw new AppError('venue_unavailable', 'the venue is not open');
      const snapshot = await source.snapshot(tokenId);
      return snapshot === null ? null : highestBid(snapshot);
    },
  });
  equity.start();
  teardown.add(async () => equity.stop());
  return equity;
}
