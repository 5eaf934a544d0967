import { afterEach, beforeEach, expect, it } from 'vitest';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { linkedBooks } from '../../src/adapters/feed-link/linked-books.ts';
import { openFeedLink, type FeedLink } from '../../src/adapters/feed-link/feed-link.ts';
import { linkedPrices } from '../../src/adapters/feed-link/linked-prices.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createBooks, type Books } from '../../streams/book.ts';
import { createExchange } from '../../streams/exchange.ts';
import { openCutLink, type CutLink } from '../cluster/cut-link.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createSteadyTurns, type SteadyTurns } from '../support/clocks/steady-turns.ts';
import { eventually } from '../support/eventually.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';
import { createFakePriceFeed } from '../support/fakes/fake-feeds.ts';
import { LINK_SECRET, startTestFeed } from '../support/fixtures/linked-feed.ts';
import { createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const MARKET = aMarket(1);
const [{ tokenId: UP }, { tokenId: DOWN }] = MARKET.outcomes;

let time: SteadyTurns;
let link: FeedLink;
let ways: readonly CutLink[];
let price: number | null;
let books: Books;
const open: (() => unknown)[] = [];

/** A feed of a market and of a price that comes every second. */
async function startOne(): Promise<CutLink> {
  const { clock } = time;
  const source = createFakeBookSource(clock, MARKET);
  source.setBook([aLevel(4_000, 10)], [aLevel(6_000, 10)]);
  const prices = createFakePriceFeed('exchange');
  const tick = (): void => {
    prices.tick('BTC', 100, clock.nowMs());
    clock.after(1_000, tick);
  };
  tick();
  const server = await startTestFeed(clock, {
    books: new Map([[VENUE_A, source]]),
    prices: new Map([['exchange', prices]]),
  });
  const way = await openCutLink(Number(new URL(server.url).port));
  open.push(() => Promise.all([way.close(), server.close()]));
  return way;
}

beforeEach(async () => {
  time = createSteadyTurns(T0);
  const { clock } = time;
  ways = [await startOne(), await startOne()];
  link = openFeedLink({
    urls: ways.map(({ port }) => `http://127.0.0.1:${port}`),
    secret: LINK_SECRET,
    wallClock: clock,
    steadyMs: time.steadyMs,
    random: createSeededRandom(4),
    metrics: createKeptMetrics(),
    log: createKeptLog(),
  });
  open.push(() => link.close());
  const deps = { random: createSeededRandom(5), scheduler: clockScheduler(clock), report: {} };
  books = createBooks({ ...deps, source: linkedBooks(link, VENUE_A, clock) });
  const watching = books.watch(MARKET).subscribe();
  const exchange = createExchange({
    ...deps,
    feed: linkedPrices({ link, name: 'exchange', source: 'exchange', clock }),
    assets: ['BTC'],
  });
  price = null;
  const following = exchange.price('BTC').subscribe((reading) => (price = reading?.value ?? null));
  open.push(() => {
    watching.unsubscribe();
    following.unsubscribe();
    books.close();
  });
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await time.stop();
});

const distrusts = () => [UP, DOWN].map((tokenId) => books.view(tokenId)?.distrust);
const trusted = () =>
  eventually(() => {
    expect(distrusts()).toEqual([null, null]);
    expect(price).toBe(10_000_000_000);
  });

it('L8: without a feed books are distrusted and prices absent, and both are back with one, books in a later epoch', async () => {
  await trusted();
  const before = books.view(UP);
  for (const way of ways) way.cut();
  await eventually(() => expect(distrusts()).toEqual(['disconnected', 'disconnected']));
  expect(books.top(UP)).toBeNull();
  await eventually(() => expect(price).toBeNull());
  for (const way of ways) way.mend();
  await trusted();
  expect(books.view(UP)?.epoch).toBeGreaterThan(before?.epoch ?? 0);
});

it('a silent feed is left for the other one, whose books are of a later epoch', async () => {
  await trusted();
  const before = books.view(UP);
  // Either may be the one that is read.
  for (const way of ways) {
    way.cut();
    const foundAtMs = time.clock.nowMs() + FEED_LINK.silentMs + 2 * FEED_LINK.beatMs;
    await eventually(() => expect(time.clock.nowMs()).toBeGreaterThan(foundAtMs));
    await trusted();
    way.mend();
  }
  expect(books.view(UP)?.epoch).toBeGreaterThan(before?.epoch ?? 0);
});
