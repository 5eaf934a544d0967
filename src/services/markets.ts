import { AppError } from '../domain/errors.ts';
import type { MarketListing } from '../domain/market-listing.ts';
import type { UserId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import { pricesOf, type OutcomePrices, type TrustedTop } from './listing-prices.ts';
import type { Lookups } from './lookups.ts';
import type {
  ListingPage,
  MarketDirectory,
  MarketEvent,
  MarketQuery,
  MarketSeries,
  Page,
  PageQuery,
  WhaleTrade,
} from '../ports/catalogue.ts';

/** A market to choose from, with the prices of its outcomes at the moment of the answer. */
export interface PricedListing {
  readonly listing: MarketListing;
  readonly prices: readonly [OutcomePrices, OutcomePrices];
}

/** An event with the prices of its markets. */
export interface PricedEvent {
  readonly event: MarketEvent;
  readonly markets: readonly PricedListing[];
}

/**
 * Browsing a venue's markets. Lists are for people: nothing is traded by a price of theirs. Errors
 * of all: `venue_unavailable`, `venue_protocol`; of lists `invalid_request` for a filter or cursor
 * the venue does not know; and `rate_limited` and `overloaded` (Lookups).
 */
export interface Markets {
  list(userId: UserId, query: MarketQuery): Promise<ListingPage<PricedListing>>;
  /** A market by its id or its slug. Errors: `not_found`. */
  market(userId: UserId, idOrSlug: string): Promise<PricedListing>;
  events(userId: UserId, query: MarketQuery): Promise<ListingPage<PricedEvent>>;
  /** Errors: `not_found`. */
  event(userId: UserId, eventId: string): Promise<PricedEvent>;
  series(userId: UserId, query: PageQuery): Promise<Page<MarketSeries>>;
  whaleTrades(userId: UserId, minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]>;
}

/**
 * Makes the service: one question to the venue for all who ask the same within
 * BROWSING_LOOKUPS.keptMs.
 */
export function createMarkets({
  directory,
  lookups,
  marketClock,
  topOf,
}: {
  readonly directory: MarketDirectory;
  /** What is asked of the venue on behalf of users. */
  readonly lookups: Lookups;
  /** The market clock, by which ages of prices are counted. */
  readonly marketClock: Clock;
  /** Books that are followed anyway: browsing follows none. */
  readonly topOf: TrustedTop;
}): Markets {
  const priced = (listing: MarketListing): PricedListing => ({
    listing,
    prices: pricesOf(listing, topOf, marketClock.nowMs()),
  });
  const pricedEvent = (event: MarketEvent): PricedEvent => ({
    event,
    markets: event.markets.map(priced),
  });
  return {
    async list(userId, query) {
      const page = await lookups.ask({ userId, name: `markets ${keyOf(query)}` }, () =>
        directory.markets(query),
      );
      return { ...page, data: page.data.map(priced) };
    },
    async market(userId, idOrSlug) {
      const found = await lookups.ask({ userId, name: `market ${idOrSlug}` }, () =>
        directory.listing(idOrSlug),
      );
      if (found === null) throw new AppError('not_found', 'there is no such market');
      return priced(found);
    },
    async events(userId, query) {
      const page = await lookups.ask({ userId, name: `events ${keyOf(query)}` }, () =>
        directory.events(query),
      );
      return { ...page, data: page.data.map(pricedEvent) };
    },
    async event(userId, eventId) {
      const found = await lookups.ask({ userId, name: `event ${eventId}` }, () =>
        directory.event(eventId),
      );
      if (found === null) throw new AppError('not_found', 'there is no such event');
      return pricedEvent(found);
    },
    series: (userId, query) =>
      lookups.ask({ userId, name: `series ${JSON.stringify([query.limit, query.cursor])}` }, () =>
        directory.series(query),
      ),
    whaleTrades: (userId, minimumUsd, limit) =>
      lookups.ask({ userId, name: `whales ${minimumUsd} ${limit}` }, () =>
        directory.whaleTrades(minimumUsd, limit),
      ),
  };
}

/** The same text for the same question, however its parts are ordered. */
function keyOf(query: MarketQuery): string {
  return JSON.stringify(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
