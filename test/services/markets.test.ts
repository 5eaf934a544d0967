import { describe, expect, it } from 'vitest';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { MarketDirectory, MarketQuery } from '../../src/ports/catalogue.ts';
import { priceTicks } from '../../src/domain/units.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { createMarkets } from '../../src/services/markets.ts';
import { aMarket, aMarketListing } from '../support/builders.ts';

const USER = asId<UserId>('usr_1');
const PAGE: MarketQuery = { limit: 50, cursor: null };

const listing = aMarketListing(aMarket(), {
  prices: {
    bid: priceTicks(4_000),
    ask: priceTicks(4_200),
    last: null,
    probabilityE5: 41_000,
    statedAtMs: 0,
  },
});

function open() {
  const clock = createVirtualClock(0);
  const asked: string[] = [];
  const failures = { left: 0 };
  const answer = async (what: string) => {
    asked.push(what);
    if (failures.left > 0) {
      failures.left -= 1;
      throw new AppError('venue_unavailable', 'away', { retryable: true });
    }
    return { data: [], nextCursor: null };
  };
  const directory: MarketDirectory = {
    market: async () => null,
    marketOfToken: async () => null,
    resolution: async () => null,
    markets: (query) => answer(`markets ${query.search ?? ''}`),
    events: () => answer('events'),
    series: () => answer('series'),
    listing: async (idOrSlug) => (idOrSlug === listing.market.slug ? listing : null),
    event: async () => null,
    whaleTrades: async () => [],
  };
  return {
    clock,
    asked,
    failures,
    markets: createMarkets({
      directory,
      lookups: createLookups(clock, BROWSING_LOOKUPS),
      marketClock: clock,
      topOf: () => null,
    }),
  };
}

describe('browsing markets', () => {
  it('asks the venue once for all who ask the same within five seconds', async () => {
    const { markets, asked, clock } = open();
    await Promise.all([
      markets.list(USER, PAGE),
      markets.list(USER, PAGE),
      markets.list(USER, { ...PAGE, search: 'btc' }),
    ]);
    await clock.advance(BROWSING_LOOKUPS.keptMs - 1);
    await markets.list(USER, PAGE);
    await clock.advance(1);
    await markets.list(USER, PAGE);
    expect(asked).toEqual(['markets ', 'markets btc', 'markets ']);
  });

  it('asks a venue that did not answer again after two seconds, and not before', async () => {
    const { markets, asked, failures, clock } = open();
    failures.left = 1;
    await expect(markets.events(USER, PAGE)).rejects.toMatchObject({ code: 'venue_unavailable' });
    await clock.advance(BROWSING_LOOKUPS.failedKeptMs - 1);
    await expect(markets.events(USER, PAGE)).rejects.toMatchObject({ code: 'venue_unavailable' });
    await clock.advance(1);
    await markets.events(USER, PAGE);
    expect(asked).toEqual(['events', 'events']);
  });

  it('keeps apart what is asked for differently, and asks once for the same in another order', async () => {
    const { markets, asked } = open();
    await markets.list(USER, { ...PAGE, tag: 'crypto', sort: 'volume' });
    await markets.list(USER, { sort: 'volume', tag: 'crypto', ...PAGE, slug: undefined });
    await markets.list(USER, { ...PAGE, tag: 'crypto', sort: 'ending' });
    expect(asked.length).toBe(2);
  });

  it('counts the age of a price from when the venue stated it, also in an answer that was kept', async () => {
    const { markets, clock } = open();
    await markets.market(USER, listing.market.slug);
    await clock.advance(BROWSING_LOOKUPS.keptMs - 1);
    const { prices } = await markets.market(USER, listing.market.slug);
    expect(prices[0].quote).toEqual({
      bid: 4_000,
      ask: 4_200,
      probabilityE5: 41_000,
      source: 'listing',
      ageMs: BROWSING_LOOKUPS.keptMs - 1,
    });
    await expect(markets.market(USER, 'none-such')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('says not_found for an unknown event', async () => {
    await expect(open().markets.event(USER, '1')).rejects.toMatchObject({ code: 'not_found' });
  });
});
