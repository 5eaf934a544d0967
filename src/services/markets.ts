import { SURFACE } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Clock } from '../ports/clock.ts';
import { createSharedQuestions } from './shared-questions.ts';
import type { MarketDirectory, MarketEvent, MarketQuery, MarketSeries, Page, PageQuery, WhaleTrade } from '../ports/venue.ts';

/** Browsing a venue's markets. Lists are for people: no price is ever taken from them. Errors of all: `venue_unavailable`, `venue_protocol`. */
export interface Markets {
  list(query: MarketQuery): Promise<Page<Market>>;
  events(query: MarketQuery): Promise<Page<MarketEvent>>;
  /** Errors: `not_found`. */
  event(eventId: string): Promise<MarketEvent>;
  series(query: PageQuery): Promise<Page<MarketSeries>>;
  whaleTrades(minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]>;
}

/** Makes the service: one question to the venue for all who ask the same within SURFACE.listingKeptMs. */
export function createMarkets(deps: { readonly directory: MarketDirectory; readonly clock: Clock }): Markets {
  const { directory, clock } = deps;
  const shared = createSharedQuestions({ clock, keptMs: SURFACE.listingKeptMs, keptMaximum: SURFACE.listingsMaximum });
  return {
    list: (query) => shared(`markets ${keyOf(query)}`, () => directory.markets(query)),
    events: (query) => shared(`events ${keyOf(query)}`, () => directory.events(query)),
    async event(eventId) {
      const found = await shared(`event ${eventId}`, () => directory.event(eventId));
      if (found === null) throw new AppError('not_found', 'there is no such event');
      return found;
    },
    series: (query) => shared(`series ${keyOf(query)}`, () => directory.series(query)),
    whaleTrades: (minimumUsd, limit) => shared(`whales ${minimumUsd} ${limit}`, () => directory.whaleTrades(minimumUsd, limit)),
  };
}

function keyOf(query: MarketQuery): string {
  return JSON.stringify([query.limit, query.cursor, query.search ?? null, query.closed ?? null]);
}
