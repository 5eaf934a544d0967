import { afterEach, describe, expect, it } from 'vitest';
import { DATA_STREAMS_FEEDS } from '../../config/profiles/profile.ts';
import { createExchangeFeed } from '../../src/adapters/exchange/exchange-feed.ts';
import {
  createInferenceNetwork,
  SPEC_TOPICS,
} from '../../src/adapters/inference/inference-network.ts';
import { createDataStreams } from '../../src/adapters/oracle/data-streams.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createBookSource } from '../../src/venues/venue-a/books.ts';
import { createVenueClient } from '../../src/venues/venue-a/client.ts';
import { createDirectory } from '../../src/venues/venue-a/directory.ts';
import { createPriceSocket } from '../../src/venues/venue-a/market-data/price-socket.ts';
import { assetPriceFromScaled } from '../../src/adapters/wire/asset-price.ts';
import type { TokenId } from '../../src/domain/ids.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import { createBooks } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createExchange } from '../../streams/exchange.ts';
import { createPredictions } from '../../streams/inference.ts';
import { createOracle } from '../../streams/oracle.ts';
import { createRoundViews } from '../../streams/round-view.ts';
import { createRounds } from '../../streams/rounds.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { feedWorld, WORLD_CREDENTIALS, WORLD_START_MS } from '../support/worlds/feed-world.ts';

const ASSETS = ['BTC', 'ETH', 'SOL'] as const;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The sandbox world with its makers, every wire adapter in front of it, and the streams on top. */
async function start(startMs: number) {
  const { world, clock, end } = await feedWorld({ startMs, makers: true });
  const metrics = createCountingMetrics();
  const random = createSeededRandom(1);
  const scheduler = clockScheduler(clock);
  const { urls } = world;
  const client = createVenueClient({ urls: urls.venues.venue_a, clock, metrics });
  const dataStreams = createDataStreams({
    restUrl: urls.dataStreamsRest,
    socketUrl: urls.dataStreamsSocket,
    credentials: WORLD_CREDENTIALS.dataStreams,
    feeds: ASSETS.map((asset) => ({ asset, twapSeconds: null, feedId: DATA_STREAMS_FEEDS[asset] })),
    clock,
    metrics,
  });
  const exchangeFeed = createExchangeFeed({
    restUrl: urls.exchangeRest,
    socketUrl: urls.exchangeSocket,
    clock,
    metrics,
  });
  const inference = createInferenceNetwork({
    baseUrl: urls.inference,
    key: WORLD_CREDENTIALS.inferenceKey,
    chainId: 'allora-testnet-1',
    topics: SPEC_TOPICS,
    clock,
    metrics,
  });
  cleanups.push(end, () =>
    Promise.all([client.close(), dataStreams.close(), exchangeFeed.close(), inference.close()]),
  );

  const incidents: string[] = [];
  const rounds = createRounds({ directory: createDirectory({ client, clock }), random, scheduler });
  const books = createBooks({
    source: createBookSource({ url: urls.venues.venue_a.clobMarketSocket, clock, metrics, client }),
    random,
    scheduler,
    report: {
      incident: (incident) => incidents.push(incident),
      reconnecting: () => incidents.push('reconnect'),
    },
  });
  const views = createRoundViews({
    rounds,
    oracle: createOracle({
      primary: dataStreams,
      fallback: createPriceSocket({ url: urls.venues.venue_a.rtds, clock, metrics }),
      assets: ASSETS,
      random,
      scheduler,
      report: {},
    }),
    exchange: createExchange({ feed: exchangeFeed, assets: ASSETS, random, scheduler, report: {} }),
    predictions: createPredictions({ inference, random, scheduler }),
    books,
    scheduler,
    report: {
      strikeContradicted: () => incidents.push('strike contradicted'),
      feedsApart: () => incidents.push('feeds apart'),
    },
  });
  const newest: { view: RoundView | null } = { view: null };
  const waiting = new Set<() => void>();
  const reader = views.views('BTC', 5).subscribe((view) => {
    newest.view = view;
    for (const check of waiting) check();
  });
  cleanups.push(() => reader.unsubscribe());
  /**
   * Resolves with the first view that holds; rejects when two minutes of the world's clock have
   * passed.
   */
  const whenView = (holds: (view: RoundView) => boolean): Promise<RoundView> =>
    new Promise((resolve, reject) => {
      const deadlineMs = clock.nowMs() + 120_000;
      const check = (): void => {
        if (newest.view !== null && holds(newest.view)) resolve(newest.view);
        else if (clock.nowMs() > deadlineMs)
          reject(
            new Error(
              `no such view in two minutes; the last one: ${JSON.stringify(newest.view)}; ${incidents.join(', ')}`,
            ),
          );
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  const upToken = (view: RoundView): TokenId => view.market.outcomes[0].tokenId;
  return { world, clock, books, incidents, whenView, upToken };
}

const isWhole = (view: RoundView): boolean =>
  view.oracle !== null &&
  view.exchange !== null &&
  view.exchangeAtStart !== null &&
  view.prediction !== null &&
  view.strike !== null &&
  view.volatility !== null &&
  view.books.every((book) => book !== null);

describe('market data over the wire', () => {
  it('shows a whole view of a round that began while we watched, with the price to beat it will be settled by', async () => {
    const { world, whenView, incidents } = await start(WORLD_START_MS - 25_000);
    const view = await whenView(
      (candidate) =>
        candidate.startsAtMs === WORLD_START_MS &&
        isWhole(candidate) &&
        candidate.market.window?.strike !== null,
    );
    const settled = world.prices.at('BTC', WORLD_START_MS / 1_000);
    expect(view.strike).toEqual({
      price: settled === null ? null : assetPriceFromScaled(settled, 18),
      source: 'captured',
    });
    // A round that ends beside ours may change its tick; nothing else may happen in a healthy
    // world.
    expect(incidents.filter((incident) => incident !== 'tick_changed')).toEqual([]);
  });

  it('shows a whole view of a round that ran already when we came', async () => {
    const { world, whenView } = await start(WORLD_START_MS + 100_000);
    const view = await whenView(isWhole);
    const settled = world.prices.at('BTC', WORLD_START_MS / 1_000);
    expect(view.strike?.price).toBe(settled === null ? null : assetPriceFromScaled(settled, 18));
  });

  it('silent-stall: distrusts the books of an active market within five seconds, and trusts them again after the stall', async () => {
    const { world, clock, books, whenView, upToken, incidents } = await start(
      WORLD_START_MS + 60_000,
    );
    const token = upToken(await whenView(({ books: [up, down] }) => up !== null && down !== null));
    world.faults.arm('silent-stall');
    const stalledAtMs = clock.nowMs();
    await whenView(() => books.view(token)?.distrust !== null);
    expect(clock.nowMs() - stalledAtMs).toBeLessThanOrEqual(5_000);
    world.faults.clear('silent-stall');
    await whenView(() => books.view(token)?.distrust === null);
    expect(incidents).toContain('reconnect');
  });

  it('no-snapshot: has books from REST though no socket ever sends a first one', async () => {
    const { world, books, whenView, upToken, incidents } = await start(WORLD_START_MS + 60_000);
    world.faults.arm('no-snapshot');
    const view = await whenView((candidate) => books.view(upToken(candidate))?.distrust === null);
    expect(view.asset).toBe('BTC');
    expect(incidents).toContain('no_snapshot');
  });

  it('gap, non-json-frame: keeps or regains trust in the books', async () => {
    const { world, books, whenView, upToken } = await start(WORLD_START_MS + 60_000);
    const token = upToken(await whenView(({ books: [up] }) => up !== null));
    world.faults.arm('non-json-frame', { times: 5 });
    world.faults.arm('gap', { times: 3 });
    await whenView(() => world.faults.armed().length === 0);
    await whenView(() => books.view(token)?.distrust === null);
    const venueBook = world.venues.venue_a.exchange.book(token);
    expect(venueBook.bids.length + venueBook.asks.length).toBeGreaterThan(0);
  });
});
