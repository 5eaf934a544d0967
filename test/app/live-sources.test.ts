import { EMPTY, NEVER, throwError } from 'rxjs';
import { expect, it } from 'vitest';
import { API } from '../../config/limits.ts';
import { BROWSING_LOOKUPS } from '../../config/limits/lookups.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createLiveSources } from '../../src/app/live-sources.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import type { TokenId, UserId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import { createLookups } from '../../src/services/lookups.ts';
import { aMarket, T0 } from '../support/builders.ts';
import { createKeptBus } from '../support/quiet.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const USER = asId<UserId>('usr_1');
const MARKET = aMarket(1);
const TOKEN = MARKET.outcomes[0].tokenId;

function setUp() {
  const clock = createVirtualClock(T0);
  const asked: string[] = [];
  const venue = { fails: false, hasRoom: true, held: null as Market | null };
  const browsing = createLookups(clock, BROWSING_LOOKUPS);
  const sources = createLiveSources({
    clock,
    marketTime: ONE_TIME,
    bus: createKeptBus(),
    core: {
      exchange: { price: () => EMPTY },
      at: () => ({
        browsing,
        markets: {
          heldOfToken: (tokenId) => (tokenId === TOKEN ? venue.held : null),
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
    sources.knowsToken(TOKEN, VENUE_A),
    sources.watchBook(TOKEN, VENUE_A, () => undefined),
  ]).toEqual([false, null]);
  expect(await sources.findToken(USER, asId<TokenId>('404'), VENUE_A)).toBe(false);
  expect(await sources.findToken(asId<UserId>('usr_2'), asId<TokenId>('404'), VENUE_A)).toBe(false);
  venue.fails = true;
  await expect(sources.findToken(USER, TOKEN, VENUE_A)).rejects.toMatchObject({
    code: 'venue_unavailable',
    retryable: true,
  });
  venue.fails = false;
  await clock.advance(BROWSING_LOOKUPS.failedKeptMs);
  expect([
    await sources.findToken(USER, TOKEN, VENUE_A),
    sources.knowsToken(TOKEN, VENUE_A),
    await sources.findToken(USER, TOKEN, VENUE_A),
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
