import type { BookView } from '../../src/domain/book.ts';
import { haveSameLevels } from '../../src/domain/book-trust.ts';
import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueB, type VenueBFixture } from './venue-b-fixture.ts';
import { VENUE_B } from '../support/venue-ids.ts';

const SETTLED_MS = 20_000;

/** A book that a client reads, and what of it is right. */
interface Watched {
  book(): BookView | null;
  /** Whether both books are trusted and are what the venue's are. */
  areRight(): boolean;
  /** Changes the book, and passes the time in which that is published. */
  stir(price: number): Promise<void>;
}

/** Makes a scenario with a live book of the market, fifty contracts offered at a half. */
function whileWatched(play: (fixture: VenueBFixture, watched: Watched) => Promise<void>): Scenario {
  return atVenueB(async (fixture) => {
    const { world, clock } = fixture;
    const { marketId, outcomes } = world.market;
    fixture.offer(50);
    const view = (side: 0 | 1) =>
      fixture.life().core.at(VENUE_B).books.view(outcomes[side].tokenId);
    fixture.life().core.at(VENUE_B).books.watch({ marketId, outcomes }).subscribe();
    await clock.advance(SETTLED_MS);
    const watched: Watched = {
      book: () => view(0),
      areRight: () => {
        const now = world.direct.venue.model.book(world.listing);
        const levels = (bids: ReadonlyMap<number, number> | undefined, isAsk: boolean) =>
          [...(bids ?? [])].map(([price, contracts]) => ({
            price: isAsk ? 10_000 - price : price,
            size: contracts * 1_000_000,
          }));
        const [yes, no] = [view(0), view(1)];
        const sides = [
          [yes, now?.yes, now?.no],
          [no, now?.no, now?.yes],
        ] as const;
        return sides.every(
          ([book, bids, asks]) =>
            book !== null &&
            book.distrust === null &&
            haveSameLevels(book, {
              bids: levels(bids, false) as unknown as BookView['bids'],
              asks: levels(asks, true) as unknown as BookView['asks'],
            }),
        );
      },
      async stir(price) {
        fixture.offer(10, price);
        await clock.advance(2_000);
      },
    };
    fixture.is('right before', watched.areRight(), true);
    await play(fixture, watched);
    await clock.advance(SETTLED_MS);
    fixture.is('right in the end', watched.areRight(), true);
  });
}

/** Scenarios of books and what they are read from. */
export const VENUE_B_BOOKS: Readonly<Record<string, Scenario>> = {
  'frames-doubled': whileWatched(async (fixture, watched) => {
    fixture.arm('doubled-frames', {});
    for (const price of [4_900, 5_200, 4_700]) await watched.stir(price);
    fixture.is('right meanwhile', watched.areRight(), true);
  }),

  'stream-cut': whileWatched(async (fixture, watched) => {
    fixture.arm('socket-dropped');
    await watched.stir(4_900);
    await fixture.clock.advance(10_000);
    fixture.is('another socket, and what was missed', watched.areRight(), true);
  }),

  'stream-stalls': whileWatched(async (fixture, watched) => {
    const { is, clock } = fixture;
    fixture.arm('silent-stall', {});
    await watched.stir(4_900);
    await clock.advance(60_000);
    const isKnown = watched.areRight() || watched.book()?.distrust !== null;
    is('current by asking, or not trusted', isKnown, true);
    fixture.calm('silent-stall');
    await watched.stir(4_800);
  }),

  'stream-stalls-over-limit': whileWatched(async (fixture, watched) => {
    const { is } = fixture;
    const limit = await fixture.rest(4_000);
    fixture.arm('silent-stall', {});
    await watched.stir(4_000);
    fixture.offer(20, 4_000);
    is('it fires all the same', (await fixture.ended(limit)).state, 'filled');
  }),

  'reads-throttled': whileWatched(async (fixture, watched) => {
    const { is, world } = fixture;
    fixture.arm('rate-limited', {
      times: 20,
      match: { path: `/api/v1/orderbook/${world.listing.ticker}` },
    });
    is('an order by an unanswered book', (await codeOf(fixture.buy(20))) === 'no refusal', false);
    fixture.nothingMade();
    fixture.calm('rate-limited');
    is('once it does', (await fixture.ended(await fixture.buy(20))).state, 'filled');
    is('the book is there meanwhile', watched.book()?.distrust, null);
  }),

  'reads-html': whileWatched(async (fixture) => {
    const { is, world } = fixture;
    fixture.arm('bad-gateway', {
      times: 20,
      match: { path: `/api/v1/orderbook/${world.listing.ticker}` },
    });
    is('an order by a page', await codeOf(fixture.buy(20)), 'venue_unavailable');
    fixture.nothingMade();
    fixture.calm('bad-gateway');
    is('once there is a book', (await fixture.ended(await fixture.buy(20))).state, 'filled');
  }),

  'one-side-empty': whileWatched(async (fixture, watched) => {
    const { is, world, clock } = fixture;
    world.direct.venue.model.script(world.listing, { book: { yes: { 4_000: 5 }, no: {} } });
    await clock.advance(2_000);
    is('bids alone', [watched.book()?.bids.length, watched.book()?.asks.length], [1, 0]);
    world.direct.venue.model.script(world.listing, { book: { yes: {}, no: {} } });
    await clock.advance(2_000);
    is('no levels', [watched.book()?.bids.length, watched.book()?.asks.length], [0, 0]);
    is('valid all the same', watched.areRight(), true);
    fixture.offer(30);
  }),
};
