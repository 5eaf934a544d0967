import { EMPTY, NEVER, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import { API } from '../../config/limits.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import type { MarketId, TokenId, UserId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { aMarket, T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { VENUE_A, VENUE_B } from '../support/venue-ids.ts';
import { createCountedNumbers } from '../support/counted-numbers.ts';

const USER = asId<UserId>('usr_1');
const MARKET = aMarket(1);
const TOKEN = MARKET.outcomes[0].tokenId;

const ANY = { pattern: '.*', refusal: '' };
const ANY_IDS = { market: ANY, token: ANY, order: ANY };

function setUp() {
  const clock = createVirtualClock(T0);
  const asked: string[] = [];
  const venue = { fails: false, hasRoom: true, held: null as Market | null };
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
          heldOfToken: (tokenId) => (tokenId === TOKEN ? venue.held : null),
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
            return tokenId === TOKEN ? (venue.held = MARKET) : null;
          },
        },
        books: {
          view: () => null,
          watch() {
            asked.push('book');
            return venue.hasRoom
              ? NEVER
              : throwError(
                  () => new AppError('limit_reached', 'too many are watched', { retryable: true }),
                );
          },
        },
      }),
    },
  });
  return { clock, asked, venue, sources };
}

it('looks a token up on behalf of a user, once, and says when there is none or the venue does not answer', async () => {
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

it('seeks a followed book again, while somebody follows it, when too many were watched', async () => {
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
  expect(asked).toEqual(['market by its id', 'market by its id', 'book']);
});
