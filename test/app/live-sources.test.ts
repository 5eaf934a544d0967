import { EMPTY, NEVER, of, throwError, type Observable } from 'rxjs';
import { expect, it } from 'vitest';
import { API } from '../../config/limits/api.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { BookView } from '../../src/domain/book.ts';
import { asId, type MarketId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import type { Market, MarketEnd } from '../../src/domain/market.ts';
import { createLookups } from '../../src/services/lookups.ts';
import type { MarketDirectory } from '../../src/ports/catalogue.ts';
import { createMarkets } from '../../src/services/markets.ts';
import type { BookUpdate } from '../../streams/book.ts';
import { aLevel, aMarketListing, aMarket, T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { VENUE_A, VENUE_B } from '../support/venue-ids.ts';
import { aBook } from '../http/samples.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

const USER = asId<UserId>('usr_1');
const MARKET = aMarket(1);
const TOKEN = MARKET.outcomes[0].tokenId;

const ANY = { pattern: '.*', refusal: '' };
const ANY_IDS = { market: ANY, token: ANY, order: ANY };

function setUp() {
  const clock = createVirtualClock(T0);
  const asked: string[] = [];
  const viewed: TokenId[] = [];
  const venue = {
    fails: false,
    hasRoom: true,
    held: null as Market | null,
    end: null as MarketEnd | null,
    view: null as BookView | null,
    updates: NEVER as Observable<BookUpdate>,
  };
  const browsing = createLookups(clock, BROWSING_LOOKUPS);
  const sources = createLiveSources({
    clock,
    marketTime: ONE_TIME,
    bus: createKeptBus(),
    numbers: createCountedNumbers(),
    venues: [
      { venue: VENUE_A, ids: { ...ANY_IDS, book: 'token' } },
      { venue: VENUE_B, ids: { ...ANY_IDS, book: 'market' } },
    ],
    core: {
      exchange: { price: () => EMPTY },
      at: () => ({
        browsing,
        markets: {
          heldOfToken: (tokenId) =>
            MARKET.outcomes.some((outcome) => outcome.tokenId === tokenId) ? venue.held : null,
          held: (marketId) => (marketId === MARKET.marketId ? venue.held : null),
          async browsed(marketId) {
            asked.push('market by its id');
            return marketId === MARKET.marketId ? (venue.held = MARKET) : null;
          },
          async ofToken(tokenId) {
            asked.push('market');
            if (venue.fails)
              throw new AppError('venue_unavailable', 'the venue does not answer', {
                retryable: true,
              });
            return MARKET.outcomes.some((outcome) => outcome.tokenId === tokenId)
              ? (venue.held = MARKET)
              : null;
          },
        },
        books: {
          view(tokenId) {
            viewed.push(tokenId);
            return venue.view;
          },
          endOf: () => venue.end,
          watch() {
            asked.push('book');
            return venue.hasRoom
              ? venue.updates
              : throwError(
                  () => new AppError('limit_reached', 'too many are watched', { retryable: true }),
                );
          },
        },
      }),
    },
  });
  return { clock, asked, viewed, venue, sources, browsing };
}

it('looks a token up on behalf of a user, once, and says when it is unknown or the venue does not answer', async () => {
  const { asked, venue, sources, clock } = setUp();
  expect([
    sources.knowsBook(TOKEN, VENUE_A),
    sources.watchBook(TOKEN, VENUE_A, () => undefined),
  ]).toEqual([false, null]);
  expect(await sources.findBook(USER, asId<TokenId>('404'), VENUE_A)).toBe(false);
  expect(await sources.findBook(asId<UserId>('usr_2'), asId<TokenId>('404'), VENUE_A)).toBe(false);
  venue.fails = true;
  await expect(sources.findBook(USER, TOKEN, VENUE_A)).rejects.toMatchObject({
    code: 'venue_unavailable',
    retryable: true,
  });
  venue.fails = false;
  await clock.advance(BROWSING_LOOKUPS.failedKeptMs);
  expect([
    await sources.findBook(USER, TOKEN, VENUE_A),
    sources.knowsBook(TOKEN, VENUE_A),
    await sources.findBook(USER, TOKEN, VENUE_A),
  ]).toEqual([true, true, true]);
  expect(asked).toEqual(['market', 'market', 'market']);
});

it('finds the book of a market whose listing was looked up just before, and finds it again once it is forgotten', async () => {
  const { venue, sources, browsing, clock } = setUp();
  const { marketId } = MARKET;
  const markets = createMarkets({
    lookups: browsing,
    directory: {
      listing: async () => aMarketListing(MARKET),
    } as unknown as MarketDirectory,
    marketClock: clock,
    topOf: () => null,
  });
  await markets.market(USER, marketId);
  expect(await sources.findBook(USER, marketId, VENUE_B)).toBe(true);
  expect(sources.watchBook(marketId, VENUE_B, () => undefined)).not.toBeNull();
  venue.held = null;
  expect(await sources.findBook(USER, marketId, VENUE_B)).toBe(true);
  expect(venue.held).toBe(MARKET);
});

it('seeks a followed book again, while a client follows it, when too many were watched', async () => {
  const { asked, venue, sources, clock } = setUp();
  venue.held = MARKET;
  venue.hasRoom = false;
  const watch = sources.watchBook(TOKEN, VENUE_A, () => undefined);
  await clock.advance(API.bookSoughtAgainMs);
  expect(asked).toEqual(['book', 'book']);
  venue.hasRoom = true;
  await clock.advance(3 * API.bookSoughtAgainMs);
  expect(asked).toEqual(['book', 'book', 'book']);
  venue.hasRoom = false;
  const other = sources.watchBook(TOKEN, VENUE_A, () => undefined);
  watch?.stop();
  other?.stop();
  await clock.advance(3 * API.bookSoughtAgainMs);
  expect(asked).toHaveLength(4);
});

it('tells why a book is not followed any more: its market has ended, or is listed as closed', () => {
  const { venue, sources } = setUp();
  const endOf = () => sources.endOf(TOKEN, VENUE_A);
  expect(endOf()).toBeNull();
  venue.held = MARKET;
  expect(endOf()).toBeNull();
  venue.end = 'resolved';
  expect(endOf()).toBe('resolved');
  venue.end = null;
  venue.held = { ...MARKET, closed: true };
  expect(endOf()).toBe('closed');
});

it('tells a watch that its market has ended, and what it was', () => {
  const { venue, sources } = setUp();
  venue.held = MARKET;
  let reported = 0;
  venue.updates = of({ kind: 'ended', marketId: MARKET.marketId, end: 'closed' });
  const watch = sources.watchBook(TOKEN, VENUE_A, () => void (reported += 1));
  expect([reported, watch?.end?.()]).toEqual([1, 'closed']);
});

it('takes a token of a market whose books are named by markets, with the book of that outcome', async () => {
  const { venue, sources, viewed } = setUp();
  const [, no] = MARKET.outcomes;
  expect(await sources.findBook(USER, no.tokenId, VENUE_B)).toBe(true);
  venue.held = MARKET;
  expect(sources.knowsBook(no.tokenId, VENUE_B)).toBe(true);
  sources.watchBook(no.tokenId, VENUE_B, () => undefined)?.current();
  sources.watchBook(MARKET.marketId, VENUE_B, () => undefined)?.current();
  expect(viewed).toEqual([no.tokenId, TOKEN]);
});

it('finds a book that is named by its market, and follows the first outcome of it', async () => {
  const { asked, sources } = setUp();
  const { marketId } = MARKET;
  expect([
    sources.knowsBook(marketId, VENUE_B),
    sources.watchBook(marketId, VENUE_B, () => undefined),
    await sources.findBook(USER, asId<MarketId>('404'), VENUE_B),
    await sources.findBook(USER, marketId, VENUE_B),
    sources.knowsBook(marketId, VENUE_B),
  ]).toEqual([false, null, false, true, true]);
  expect(sources.watchBook(marketId, VENUE_B, () => undefined)).not.toBeNull();
  expect(asked).toEqual(['market by its id', 'market', 'market by its id', 'book']);
});

it('says what a market is worth by the middle of its book, or by what its pool states, whichever outcome names it', () => {
  const { venue, sources } = setUp();
  venue.held = MARKET;
  const [yes, no] = MARKET.outcomes;
  const worth = (tokenId: TokenId, fields: Partial<BookView>) => {
    venue.view = aBook({ tokenId, ...fields });
    return sources.watchMarketPrice(tokenId, VENUE_A, () => undefined)?.current()?.yesE5;
  };
  const wide = { bids: [aLevel(3_000, 1)] };
  expect([
    worth(yes.tokenId, {}),
    worth(no.tokenId, {}),
    worth(yes.tokenId, wide),
    worth(yes.tokenId, { ...wide, statedE5: 40_123 }),
    worth(no.tokenId, { statedE5: 59_877 }),
  ]).toEqual([47_500, 52_500, null, 40_123, 40_123]);
});

it('says what a market is worth once for each state of its book', () => {
  const { venue, sources } = setUp();
  venue.held = MARKET;
  const watch = sources.watchMarketPrice(TOKEN, VENUE_A, () => undefined);
  expect(watch?.current()).toBeNull();
  venue.view = aBook({ tokenId: TOKEN });
  const first = watch?.current();
  expect(watch?.current()).toBe(first);
  venue.view = aBook({ tokenId: TOKEN });
  expect(watch?.current()).not.toBe(first);
});
