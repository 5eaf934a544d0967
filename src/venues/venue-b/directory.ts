import type { Market } from '../../domain/market.ts';
import type { MarketDirectory, MarketQuery, Page } from '../../ports/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import { checked } from '../checked.ts';
import { createBrowsingLists } from './browsing.ts';
import type { VenueClient } from './client.ts';
import { createEventReads, offsetOf } from './event-reads.ts';
import type { Listing } from './listing.ts';
import {
  eventOf,
  type ListedMarket,
  listingOf,
  resolutionOf,
  seriesOf,
  withEvent,
} from './parse.ts';
import { seriesPage, seriesSchema } from './schema.ts';

/** Makes the directory over the metadata interface. */
export function createDirectory({
  client,
  listing,
  clock,
}: {
  readonly client: VenueClient;
  readonly listing: Listing;
  readonly clock: Clock;
}): MarketDirectory {
  const events = createEventReads({ client, listing });
  // orders wait for these: the title of an event is added where it is known, and not asked for
  const named = (found: ListedMarket | null): Market | null =>
    found && withEvent(found.market, events.knownHead(found.wire.eventTicker));
  return {
    market: async (marketId) => named(await listing.market(marketId)),
    marketOfToken: async (tokenId) => named(await listing.ofToken(tokenId)),
    async resolution(marketId) {
      const found = await listing.market(marketId);
      return found === null ? null : resolutionOf(found, clock.nowMs());
    },
    ...createBrowsingLists({ events, listing, clock }),
    async listing(ticker) {
      const found = await listing.market(ticker);
      if (found === null) return null;
      return listingOf(found, await events.head(found.wire.eventTicker), clock.nowMs());
    },
    async event(ticker) {
      const found = await events.event(ticker);
      if (found === null) return null;
      const { wire, markets } = found;
      const nowMs = clock.nowMs();
      return eventOf(
        wire,
        markets.map((one) => listingOf(one, wire, nowMs)),
      );
    },
    async series(query) {
      const value = await client.read({ family: 'metadata', path: '/series' });
      const rows = checked(seriesPage, value ?? { series: [] }, 'the series').series;
      const all = rows.flatMap((row) => {
        const read = seriesSchema.safeParse(row);
        return read.success ? [seriesOf(read.data)] : [];
      });
      return cut(all, query);
    },
    // The venue tells of trades without who made them.
    whaleTrades: () => Promise.resolve([]),
  };
}

function cut<T>(
  rows: readonly T[],
  { limit, cursor }: Pick<MarketQuery, 'limit' | 'cursor'>,
): Page<T> {
  const from = offsetOf(cursor);
  const until = from + limit;
  return {
    data: rows.slice(from, until),
    nextCursor: until < rows.length ? String(until) : null,
  };
}
