import {
  SearchSort,
  createPublicClient,
  forkEnvironmentConfig,
  type CommentParentEntityType,
  type PublicClient,
} from '../peers/client.ts';
import { RealTimeDataClient, type Message } from '../peers/real-time-data-client.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import type { World } from '../../src/sandbox/world.ts';
import { FARM_QUESTIONS } from '../../src/sandbox/venues/venue-a/markets/farm-questions.ts';
import { startSmallWorld, WORLD_START_MS } from '../support/worlds/small-world.ts';

const UNUSED_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SLUG = `btc-updown-5m-${WORLD_START_MS / 1000}`;
let clock: VirtualClock;
let world: World;
let client: PublicClient;

beforeAll(async () => {
  // The client takes the platform's WebSocket; Node 20 has none.
  Object.assign(globalThis, { WebSocket });
  ({ clock, world } = await startSmallWorld());
  await clock.advance(20_000);
  const { urls } = world;
  client = createPublicClient({
    environment: forkEnvironmentConfig({
      name: 'sandbox',
      clob: {
        rest: urls.venues.venue_a.clobRest,
        market: { ws: urls.venues.venue_a.clobMarketSocket },
        user: { ws: urls.venues.venue_a.clobUserSocket },
      },
      gamma: { rest: urls.venues.venue_a.gamma },
      data: { rest: urls.venues.venue_a.dataApi },
      rtds: { ws: urls.venues.venue_a.rtds },
    }),
  });
});

afterAll(async () => {
  await world.close();
});

describe('discovery through @polymarket/client 0.2.0, unmodified', () => {
  it('pages through every open market', async () => {
    const slugs: string[] = [];
    for await (const page of client.listMarkets({ pageSize: 25 }))
      slugs.push(...page.items.map(({ slug }) => slug ?? ''));
    expect(new Set(slugs).size).toBe(slugs.length);
    // Rounds and standing markets, and one generation of markets to farm.
    expect(slugs.length).toBe(59 + FARM_QUESTIONS.length);
    expect(slugs).toContain(SLUG);
  });

  it('reads a round by slug with tokens, fees, tick and window', async () => {
    const market = await client.fetchMarket({ slug: SLUG });
    expect(market.outcomes.yes).toMatchObject({ label: 'Up' });
    expect(market.outcomes.yes.tokenId).toMatch(/^\d{70,78}$/);
    expect(market.trading).toMatchObject({
      feesEnabled: true,
      feeType: 'crypto_fees_v2',
      feeSchedule: { exponent: 1, takerOnly: true },
    });
    expect(market.state).toMatchObject({
      active: true,
      closed: false,
      acceptingOrders: true,
      enableOrderBook: true,
    });
    expect(await client.fetchMarket({ id: market.id })).toMatchObject({ slug: SLUG });
  });

  it('reads an event with its price to beat, a series, tags and search results', async () => {
    const event = await client.fetchEvent({ slug: SLUG });
    expect(event.metadata).toMatchObject({ priceToBeat: expect.any(Number) });
    expect(event.markets).toHaveLength(1);
    expect(event.series[0]).toMatchObject({ slug: 'btc-up-or-down-5m' });
    const series = await client.listSeries({ pageSize: 10 }).firstPage();
    expect(series.items).toHaveLength(4);
    expect((await client.listTags().firstPage()).items.map(({ slug }) => slug)).toContain('crypto');
    const found = await client.search({ q: 'comet' }).firstPage();
    expect(found.items.events[0]?.markets).toHaveLength(3);
    const next = await client
      .listEvents({ seriesIds: [10_684], order: 'endDate', ascending: true, pageSize: 2 })
      .firstPage();
    expect(next.items.map(({ slug }) => slug)).toEqual([
      SLUG,
      `btc-updown-5m-${WORLD_START_MS / 1000 + 300}`,
    ]);
    expect(next.hasMore).toBe(true);
  });

  it('reads a tag by its slug and its id, and pages of a search as large as it asks for', async () => {
    const crypto = await client.fetchTag({ slug: 'crypto' });
    expect(crypto).toMatchObject({ slug: 'crypto', label: 'Crypto' });
    expect(await client.fetchTag({ id: String(crypto.id) })).toEqual(crypto);
    await expect(client.fetchTag({ slug: 'no-such-tag' })).rejects.toThrow();
    const found = await client.search({ q: 'up or down', pageSize: 100 }).firstPage();
    expect(found.items.events).toHaveLength(Math.min(100, found.totalCount ?? 0));
    const largest = await client
      .search({ q: 'comet', sort: SearchSort.Volume, ascending: false })
      .firstPage();
    expect(largest.items.events[0]?.slug).toBe('brightest-comet-of-the-season');
  });

  it('reads sports, kinds of their markets, teams, comments and an event’s volume', async () => {
    expect((await client.listSports())[0]).toMatchObject({
      sport: expect.any(String),
      tags: expect.any(String),
    });
    expect((await client.fetchSportsMarketTypes()).marketTypes).toContain('moneyline');
    const teams = await client.listTeams({ pageSize: 1 }).firstPage();
    expect([teams.items.length, teams.hasMore]).toEqual([1, true]);
    const event = await client.fetchEvent({ slug: 'brightest-comet-of-the-season' });
    // The client declares this list of names, but gives out its types alone.
    const parentEntityType = 'Event' as CommentParentEntityType;
    expect(
      (await client.listComments({ parentEntityId: event.id, parentEntityType }).firstPage()).items,
    ).toEqual([]);
    const [volume] = await client.fetchEventLiveVolume({ id: event.id });
    expect(volume?.markets).toHaveLength(3);
    expect(Number(volume?.total)).toBeCloseTo(
      volume?.markets?.reduce((sum, { value }) => sum + Number(value), 0) ?? -1,
      6,
    );
  });

  it('knows no related tags, no thread and no commenter, and says so of those that exist', async () => {
    expect(await client.fetchRelatedTags({ slug: 'crypto' })).toEqual([]);
    expect(await client.fetchRelatedTags({ id: '21' })).toEqual([]);
    expect(await client.fetchRelatedTagResources({ slug: 'crypto' })).toEqual([]);
    expect(await client.fetchRelatedTagResources({ id: '21' })).toEqual([]);
    await expect(client.fetchRelatedTags({ slug: 'no-such-tag' })).rejects.toThrow();
    expect(await client.fetchCommentsById({ id: '1' })).toEqual([]);
    expect(
      (await client.listCommentsByUserAddress({ address: UNUSED_ADDRESS }).firstPage()).items,
    ).toEqual([]);
    expect((await client.listBuilderLeaderboard().firstPage()).items).toEqual([]);
    expect(await client.fetchBuilderVolume()).toEqual([]);
  });

  it('lists the trades of one event alone', async () => {
    const trades = async (eventId: number) =>
      (await client.listTrades({ eventId: [eventId], pageSize: 100 }).firstPage()).items;
    const event = await client.fetchEvent({ slug: SLUG });
    let seen: Awaited<ReturnType<typeof trades>> = [];
    await untilSeen(
      async () => {
        await clock.advance(1_000);
        seen = await trades(Number(event.id));
      },
      () => seen.length > 0,
    );
    expect(new Set(seen.map(({ conditionId }) => conditionId))).toEqual(
      new Set(event.markets.map(({ conditionId }) => conditionId)),
    );
    expect(await trades(1)).toEqual([]);
  });

  it('reads one team by its id', async () => {
    const at = async (path: string) => {
      const response = await fetch(`${world.urls.venues.venue_a.gamma}${path}`);
      return { status: response.status, body: await response.json() };
    };
    expect(await at('/teams/2')).toMatchObject({ status: 200, body: { id: 2, league: 'chess' } });
    expect((await at('/teams/99')).status).toBe(404);
  });

  it('answers its health check in plain text', async () => {
    const response = await fetch(`${world.urls.venues.venue_a.gamma}/status`);
    expect([response.status, await response.text()]).toEqual([200, 'OK']);
  });

  it('follows both price topics of the data socket', async () => {
    const handle = await client.subscribe([
      { topic: 'prices.crypto.binance' },
      { topic: 'prices.crypto.chainlink' },
    ]);
    const topics = new Set<string>();
    const seen = (async () => {
      for await (const event of handle) {
        topics.add(event.topic);
        if (topics.size === 2) return event;
      }
      return null;
    })();
    await untilSeen(
      () => clock.advance(1_000),
      () => topics.size === 2,
    );
    expect((await seen)?.payload).toMatchObject({ value: expect.anything() });
    await handle.close();
  });

  it('follows the books of a running market, and its end', async () => {
    const market = await client.fetchMarket({ slug: SLUG });
    const tokenId = market.outcomes.yes.tokenId ?? '';
    const handle = await client.subscribe([
      { topic: 'market', tokenIds: [tokenId], customFeatureEnabled: true },
    ]);
    const types = new Set<string>();
    void (async () => {
      for await (const event of handle) {
        if (event.type !== 'market_resolved' || event.payload.market === market.conditionId)
          types.add(event.type);
      }
    })();
    await untilSeen(
      () => clock.advance(500),
      () => types.has('book') && types.has('price_change') && types.has('last_trade_price'),
    );
    await clock.advanceTo(WORLD_START_MS + 300_000 + 121_000);
    await untilSeen(
      () => clock.advance(1_000),
      () => types.has('market_resolved'),
    );
    await handle.close();
    const closed = await client.fetchMarket({ slug: SLUG });
    expect(closed.state).toMatchObject({ closed: true, acceptingOrders: false });
    expect([closed.outcomes.yes.price, closed.outcomes.no.price].map(Number).sort()).toEqual([
      0, 1,
    ]);
  });
});

describe('prices through @polymarket/real-time-data-client 1.4.0, unmodified', () => {
  it('receives the last two minutes and then each second of a filtered topic', async () => {
    const messages: Message[] = [];
    const rtds = new RealTimeDataClient({
      host: world.urls.venues.venue_a.rtds,
      onConnect: (connected) =>
        connected.subscribe({
          subscriptions: [
            { topic: 'crypto_prices_chainlink', type: '*', filters: '{"symbol":"eth/usd"}' },
          ],
        }),
      onMessage: (_client, message) => void messages.push(message),
    });
    rtds.connect();
    await untilSeen(
      () => clock.advance(1_000),
      () => messages.some(({ type }) => type === 'update'),
    );
    const [snapshot] = messages;
    expect(snapshot).toMatchObject({
      topic: 'crypto_prices',
      type: 'subscribe',
      payload: { symbol: 'eth/usd' },
    });
    expect(messages.find(({ type }) => type === 'update')).toMatchObject({
      topic: 'crypto_prices_chainlink',
      payload: { symbol: 'eth/usd', value: expect.any(Number) },
    });
    // It reconnects for ever and cannot be stopped: the socket under it is taken away.
    Reflect.set(rtds, 'connect', () => rtds);
    rtds.disconnect();
  });
});

/** Lets the world go on until something has been seen on a real socket. */
async function untilSeen(step: () => Promise<void>, isSeen: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !isSeen(); turn += 1) {
    await step();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isSeen()).toBe(true);
}
