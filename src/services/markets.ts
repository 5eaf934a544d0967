import { SURFACE } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';
import type { MarketListing } from '../domain/market-listing.ts';
import type { Clock } from '../ports/clock.ts';
import { pricesOf, type OutcomePrices, type TrustedTop } from './listing-prices.ts';
import { createSharedQuestions } from './shared-questions.ts';
import type { MarketDirectory, MarketEvent, MarketQuery, MarketSeries, Page, PageQuery, WhaleTrade } from '../ports/venue.ts';

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
 * Browsing a venue's markets. Lists are for people: nothing is traded by a price of theirs. Errors of all:
 * `venue_unavailable`, `venue_protocol`; of lists `invalid_request` for a filter or cursor the venue does not know.
 */
export interface Markets {
  list(query: MarketQuery): Promise<Page<PricedListing>>;
  /** A market by its id or its slug. Errors: `not_found`. */
  market(idOrSlug: string): Promise<PricedListing>;
  events(query: MarketQuery): Promise<Page<PricedEvent>>;
  /** Errors: `not_found`. */
  event(eventId: string): Promise<PricedEvent>;
  series(query: PageQuery): Promise<Page<MarketSeries>>;
  whaleTrades(minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]>;
}

/** What browsing needs. */
export interface MarketsDeps {
  readonly directory: MarketDirectory;
  /** The clock by which answers are kept. */
  readonly clock: Clock;
  /** The markets' clock, by which ages of prices are counted. */
  readonly marketClock: Clock;
  /** Books that are followed anyway: browsing follows none. */
  readonly topOf: TrustedTop;
}

/** Makes the service: one question to the venue for all who ask the same within SURFACE.listingKeptMs. */
export function createMarkets(deps: MarketsDeps): Markets {
  const { directory, clock, marketClock, topOf } = deps;
  const shared = createSharedQuestions({ clock, keptMs: SURFACE.listingKeptMs, keptMaximum: SURFACE.listingsMaximum });
  const priced = (listing: MarketListing): PricedListing => ({ listing, prices: pricesOf(listing, topOf, marketClock.nowMs()) });
  const pricedEvent = (event: MarketEvent): PricedEvent => ({ event, markets: event.markets.map(priced) });
  return {
    async list(query) {
      const { data, nextCursor } = await shared(`markets ${keyOf(query)}`, () => directory.markets(query));
      return { data: data.map(priced), nextCursor };
    },
    async market(idOrSlug) {
      const found = await shared(`market ${idOrSlug}`, () => directory.listing(idOrSlug));
      if (found === null) throw new AppError('not_found', 'there is no such market');
      return priced(found);
    },
    async events(query) {
      const { data, nextCursor } = await shared(`events ${keyOf(query)}`, () => directory.events(query));
      return { data: data.map(pricedEvent), nextCursor };
    },
    async event(eventId) {
      const found = await shared(`event ${eventId}`, () => directory.event(eventId));
      if (found === null) throw new AppError('not_found', 'there is no such event');
      return pricedEvent(found);
    },
    series: (query) => shared(`series ${JSON.stringify([query.limit, query.cursor])}`, () => directory.series(query)),
    whaleTrades: (minimumUsd, limit) => shared(`whales ${minimumUsd} ${limit}`, () => directory.whaleTrades(minimumUsd, limit)),
  };
}

/** The same text for the same question, however its parts are ordered. */
function keyOf(query: MarketQuery): string {
  return JSON.stringify(Object.entries(query).filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)));
}
