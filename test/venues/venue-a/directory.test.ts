import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createVenueClient, type VenueClient } from '../../../src/venues/venue-a/client.ts';
import { createDirectory } from '../../../src/venues/venue-a/directory.ts';
import { parseResolution } from '../../../src/venues/venue-a/discovery/gamma-parse.ts';
import { gammaMarketSchema } from '../../../src/venues/venue-a/discovery/gamma-schema.ts';
import { createRefusedMarkets } from '../../../src/venues/venue-a/discovery/refused-markets.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { MarketDirectory, RoundDirectory } from '../../../src/ports/catalogue.ts';
import type { World } from '../../../src/sandbox/world.ts';
import { WORLD_START_MS, startSmallWorld } from '../../support/worlds/small-world.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';

let clock: VirtualClock;
let world: World;
let client: VenueClient;
let directory: MarketDirectory & RoundDirectory;

beforeAll(async () => {
  ({ clock, world } = await startSmallWorld());
  await clock.advance(20_000);
  client = createVenueClient({ urls: world.urls.venues.venue_a, clock, metrics: silentMetrics });
  directory = createDirectory({ client, clock });
});
afterAll(async () => {
  await client.close();
  await world.close();
});

describe('the directory before the sandbox catalogue', () => {
  it('finds the running round with its tokens, strike, fees and delay', async () => {
    const market = await directory.round('BTC', 5, WORLD_START_MS);
    expect(market).toMatchObject({
      venue: 'venue_a',
      slug: `btc-updown-5m-${WORLD_START_MS / 1_000}`,
      tickSize: 100,
      minSize: 5_000_000,
      own: { negRisk: false },
      fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
      acceptingOrders: true,
      closed: false,
      window: {
        asset: 'BTC',
        minutes: 5,
        startsAtMs: WORLD_START_MS,
        endsAtMs: WORLD_START_MS + 300_000,
        strike: expect.any(Number),
      },
      endsAtMs: WORLD_START_MS + 300_000,
    });
    expect(market?.outcomes.map(({ label }) => label)).toEqual(['Up', 'Down']);
  });

  it('other-version: lists a market of another version of the exchange as not traded, by the ids of its positions, and counts it once', async () => {
    const traded = await directory.round('SOL', 15, WORLD_START_MS);
    const marketId = traded?.marketId ?? asId('');
    world.faults.arm('other-version', { match: { marketId } });
    const metrics = createCountingMetrics();
    const noting = createDirectory({ client, clock, note: createRefusedMarkets(metrics) });
    const seen = [
      await noting.round('SOL', 15, WORLD_START_MS),
      await noting.market(marketId),
      (await noting.listing(marketId))?.market,
      (await noting.markets({ limit: 100, cursor: null })).data.find(
        ({ market }) => market.marketId === marketId,
      )?.market,
    ];
    world.faults.clear('other-version');
    for (const market of seen)
      expect(market).toMatchObject({
        acceptingOrders: false,
        notTradeable:
          'The market trades on version "v2" of the venue\'s exchange; orders are signed for "v1" only.',
      });
    const tokensOf = (market: Market | null | undefined) =>
      market?.outcomes.map(({ tokenId }) => tokenId) ?? [];
    expect(tokensOf(seen[0]).filter((tokenId) => tokensOf(traded).includes(tokenId))).toEqual([]);
    expect(metrics.counts).toEqual({ 'venue_markets_refused_total venue=venue_a': 1 });
  });

  it('late-hydration: gives null for a round that is not listed or has no tokens yet, and the round later', async () => {
    expect(await directory.round('BTC', 5, WORLD_START_MS + 86_400_000 * 30)).toBeNull();
    world.faults.arm('late-hydration', {});
    expect(await directory.round('ETH', 15, WORLD_START_MS)).toBeNull();
    world.faults.clear('late-hydration');
    expect(await directory.round('ETH', 15, WORLD_START_MS)).toMatchObject({
      window: { asset: 'ETH', minutes: 15 },
    });
  });

  it('finds a market by its id, and none by a strange one', async () => {
    const round = await directory.round('SOL', 15, WORLD_START_MS);
    expect(await directory.market(round?.marketId ?? asId(''))).toEqual({
      ...round,
      volumeUsd: expect.any(Number),
      liquidityUsd: expect.any(Number),
    });
    expect(await directory.market(asId(`0x${'00'.repeat(32)}`))).toBeNull();
  });

  it('pages through markets and events without repeating one', async () => {
    const first = await directory.markets({ limit: 20, cursor: null });
    const second = await directory.markets({ limit: 20, cursor: first.nextCursor });
    expect([
      first.data.length,
      second.data.length,
      new Set([...first.data, ...second.data].map(({ market }) => market.marketId)).size,
    ]).toEqual([20, 20, 40]);
    const events = await directory.events({ limit: 5, cursor: null });
    expect(events.data).toHaveLength(5);
    const [event] = events.data;
    expect(await directory.event(event?.eventId ?? '')).toMatchObject({
      eventId: event?.eventId,
      title: event?.title,
    });
    expect(await directory.event('../admin')).toBeNull();
    expect(await directory.event('99999999')).toBeNull();
  });

  it('lists series and finds by text', async () => {
    const series = await directory.series({ limit: 10, cursor: null });
    expect(series.data.map(({ slug }) => slug)).toContain('btc-up-or-down-5m');
    const found = await directory.events({ limit: 10, cursor: null, search: 'comet' });
    expect(found.data[0]?.markets.length).toBeGreaterThan(1);
    expect((await directory.markets({ limit: 10, cursor: null, search: 'comet' })).data).toEqual(
      found.data.flatMap(({ markets }) => markets),
    );
    await expect(directory.series({ limit: 10, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
    expect(await directory.events({ limit: 200, cursor: null, search: 'comet' })).toEqual(found);
    await expect(
      directory.events({ limit: 10, cursor: 'nonsense', search: 'comet' }),
    ).rejects.toMatchObject({ code: 'invalid_request', fields: [{ path: '/cursor' }] });
  });

  it('pages through all markets of the events a search finds, also where an event has more than a page takes', async () => {
    // Its own reads: those of one client have a rate, by a clock that is stopped here.
    const own = createVenueClient({
      urls: world.urls.venues.venue_a,
      clock,
      metrics: silentMetrics,
    });
    const search = (limit: number, cursor: string | null) =>
      createDirectory({ client: own, clock }).markets({ limit, cursor, search: 'comet' });
    const whole = await search(50, null);
    const first = await search(2, null);
    const second = await search(2, first.nextCursor);
    expect([whole.data.length, first.data.length, second.nextCursor]).toEqual([3, 2, null]);
    expect([...first.data, ...second.data]).toEqual(whole.data);
    await expect(search(2, '0.x')).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
    await own.close();
  });

  it('calls a cursor that the venue refuses a fault of the caller', async () => {
    for (const list of ['markets', 'events'] as const) {
      await expect(directory[list]({ limit: 10, cursor: 'zzzz' })).rejects.toMatchObject({
        code: 'invalid_request',
        fields: [{ path: '/cursor' }],
      });
    }
  });

  it('tells large public trades in exact units', async () => {
    const trades = await directory.whaleTrades(1, 50);
    expect(trades.length).toBeGreaterThan(0);
    expect([0, 1]).toContain(trades[0]?.outcomeIndex);
    expect(await directory.listing(trades[0]?.slug ?? '')).toMatchObject({
      market: { marketId: trades[0]?.marketId, question: trades[0]?.title },
    });
    expect(trades[0]).toMatchObject({
      transactionHash: expect.any(String),
      trader: expect.stringMatching(/^0x/),
      shares: expect.any(Number),
      price: expect.any(Number),
      usdc: expect.any(Number),
    });
  });

  it('says how a round ended, and nothing before', async () => {
    const round = await directory.round('BTC', 5, WORLD_START_MS);
    const marketId = round?.marketId ?? asId('');
    expect(await directory.resolution(marketId)).toBeNull();
    await clock.advance(600_000);
    const resolution = await directory.resolution(marketId);
    expect([resolution?.marketId, resolution?.payoutTicks.toSorted()]).toEqual([
      marketId,
      [0, 10_000],
    ]);
    expect(await directory.market(marketId)).toMatchObject({
      closed: true,
      acceptingOrders: false,
    });
  });
});

describe('how a market ended', () => {
  const wire = (change: object) =>
    gammaMarketSchema.parse({
      id: '1',
      conditionId: '0xaa',
      slug: 's',
      question: 'q',
      outcomes: '["Up","Down"]',
      outcomePrices: '["1","0"]',
      clobTokenIds: '["11","12"]',
      closed: true,
      ...change,
    });
  const flags = (winner: string | null, change: object = {}) => ({
    closed: true,
    tokens: ['11', '12'].map((tokenId) => ({ token_id: tokenId, winner: tokenId === winner })),
    ...change,
  });

  it('is known by either source alone', () => {
    expect(parseResolution(wire({}), null, 7)).toEqual({
      marketId: '0xaa',
      payoutTicks: [10_000, 0],
      resolvedAtMs: 7,
    });
    expect(
      parseResolution(wire({ closed: false, outcomePrices: '["0.5","0.5"]' }), flags('12'), 7),
    ).toMatchObject({ payoutTicks: [0, 10_000] });
  });

  it('is an error of the venue when the two words contradict each other', () => {
    expect(() => parseResolution(wire({}), flags('12'), 7)).toThrowError(
      expect.objectContaining({ code: 'venue_protocol' }),
    );
  });

  it('resolved-fifty-fifty: is shared only when the venue calls the market resolved', () => {
    const even = wire({ outcomePrices: '["0.5","0.5"]' });
    expect(parseResolution(even, flags(null), 7)).toBeNull();
    expect(parseResolution(even, flags(null, { is_50_50_outcome: true }), 7)).toMatchObject({
      payoutTicks: [5_000, 5_000],
    });
  });

  it('is unknown while prices are only prices', () => {
    expect(parseResolution(wire({ outcomePrices: '["0.99","0.01"]' }), flags(null), 7)).toBeNull();
  });
});
