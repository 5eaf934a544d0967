import type { BookView } from '../../src/domain/book.ts';
import { haveSameLevels } from '../../src/domain/book-trust.ts';
import { VENUE_C } from '../support/venue-ids.ts';
import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueC, type VenueCFixture } from './venue-c-fixture.ts';

const SETTLED_MS = 20_000;

/** A book that is watched, and what of it is right. */
interface Watched {
  book(): BookView | null;
  /** Whether both books are trusted and are what the venue's are. */
  areRight(): boolean;
  /** Changes the book, and passes the time in which it is published. */
  stir(price: number): Promise<void>;
}

/** Makes a scenario with a live book of the market, fifty shares offered at a half. */
function whileWatched(play: (fixture: VenueCFixture, watched: Watched) => Promise<void>): Scenario {
  return atVenueC(async (fixture) => {
    const { world, clock } = fixture;
    const { marketId, outcomes } = world.market;
    fixture.offer(50);
    const view = (side: 0 | 1) =>
      fixture.life().core.at(VENUE_C).books.view(outcomes[side].tokenId);
    fixture.life().core.at(VENUE_C).books.watch({ marketId, outcomes }).subscribe();
    await clock.advance(SETTLED_MS);
    const watched: Watched = {
      book: () => view(0),
      areRight() {
        const { book } = world.direct.model.exchange.book(world.listed);
        return ([0, 1] as const).every((outcome) => {
          const [known, there] = [view(outcome), book.view(outcome)];
          return known?.distrust === null && haveSameLevels(known, there);
        });
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

/** Scenarios of books, of the socket's own orders and of what both are read from. */
export const VENUE_C_BOOKS: Readonly<Record<string, Scenario>> = {
  'whole-books-doubled': whileWatched(async (fixture, watched) => {
    fixture.arm('doubled-frames', {});
    for (const price of [4_900, 5_200, 4_700]) await watched.stir(price);
    fixture.is('right meanwhile', watched.areRight(), true);
  }),

  'whole-book-missing': whileWatched(async (fixture, watched) => {
    fixture.arm('missing-frames');
    await watched.stir(4_900);
    await watched.stir(4_800);
    fixture.is('the next one replaces it', watched.areRight(), true);
  }),

  'last-book-missing': whileWatched(async (fixture, watched) => {
    fixture.arm('missing-frames');
    await watched.stir(4_900);
    await fixture.clock.advance(120_000);
    const isKnown = watched.areRight() || watched.book()?.distrust !== null;
    fixture.is('current by asking, or not trusted', isKnown, true);
    await watched.stir(4_800);
  }),

  'books-cut': whileWatched(async (fixture, watched) => {
    fixture.arm('socket-dropped');
    await watched.stir(4_900);
    await fixture.clock.advance(10_000);
    fixture.is('another socket, and what was missed', watched.areRight(), true);
  }),

  'no-book-to-be-had': atVenueC(async (fixture) => {
    const { is, world } = fixture;
    fixture.offer(50);
    const path = `/markets/${world.listed.slug}/orderbook`;
    fixture.arm('rate-limited-html', { match: { path } });
    fixture.arm('missing-frames', {});
    is('an order without a book', await codeOf(fixture.buy(20)), 'preparation_timeout');
    fixture.nothingMade();
    fixture.calm('rate-limited-html');
    fixture.calm('missing-frames');
    is('once there is one', (await fixture.ended(await fixture.buy(20))).state, 'filled');
  }),

  'own-orders-doubled': atVenueC(async (fixture) => {
    const { is } = fixture;
    const order = await fixture.rest(4_000);
    fixture.arm('doubled-frames', {});
    fixture.meet(20);
    await fixture.life().settled(1);
    is(
      'once',
      [fixture.settlements(), fixture.order(order).filledShares],
      [['settled'], 20_000_000],
    );
  }),

  'own-orders-missing': atVenueC(async (fixture) => {
    const { is } = fixture;
    const order = await fixture.rest(4_000);
    fixture.arm('missing-frames', {});
    fixture.meet(20);
    is('found by asking', (await fixture.ended(order)).state, 'filled');
    await fixture.life().settled(1);
    is('once', fixture.settlements(), ['settled']);
  }),

  'signature-stale-on-reconnect': atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    const order = await fixture.rest(4_000);
    fixture.arm('socket-dropped');
    fixture.arm('stale-signature', {
      times: 3,
      match: { path: '/socket.io/?EIO=4&transport=websocket' },
    });
    fixture.meet(8);
    await clock.advance(90_000);
    is('its part is known', fixture.order(order).filledShares, 8_000_000);
    fixture.meet(12);
    is('and the rest', (await fixture.ended(order)).state, 'filled');
  }),
};
