import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVenueClient, type VenueClient } from '../../../src/venues/venue-a/client.ts';
import { createMarketScan, readListing } from '../../../src/venues/venue-a/scan.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import type { World } from '../../../src/sandbox/world.ts';
import { WORLD_START_MS, startSmallWorld } from '../../support/worlds/small-world.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';

let world: World;
let client: VenueClient;
beforeAll(async () => {
  const small = await startSmallWorld();
  ({ world } = small);
  await small.clock.advance(20_000);
  client = createVenueClient({
    urls: world.urls.venues.venue_a,
    clock: small.clock,
    metrics: silentMetrics,
  });
});
afterAll(async () => {
  await client.close();
  await world.close();
});

const QUERY = {
  volumeAtLeastUsd: 500,
  liquidityAtLeastUsd: 0,
  endsAfterMs: WORLD_START_MS,
  endsBeforeMs: null,
  cursor: null,
};

describe('the scan before the sandbox catalogue', () => {
  it('reads markets with what the venue files them under', async () => {
    const { data, nextCursor } = await createMarketScan({ client, metrics: silentMetrics }).page(
      QUERY,
    );
    const found = (slug: string): FarmListing | undefined =>
      data.find(({ market }) => market.slug.startsWith(slug));
    expect(nextCursor).toBeNull();
    expect(found('rowing-final')).toMatchObject({
      isGame: false,
      categories: expect.arrayContaining(['sports', 'sports_fees_v3']) as string[],
    });
    expect(found('bitcoin-above')).toMatchObject({
      categories: expect.arrayContaining(['crypto', 'crypto-prices', 'crypto_fees_v2']) as string[],
    });
    expect(found('first-frost')).toMatchObject({
      categories: expect.arrayContaining(['weather']) as string[],
      market: { acceptingOrders: true, window: null },
      description: expect.stringContaining('weather station') as string,
    });
    expect(data.every(({ market }) => market.volumeUsd >= 500)).toBe(true);
  });

  it('leaves out what lacks volume or ends too late', async () => {
    const scan = createMarketScan({ client, metrics: silentMetrics });
    const rich = await scan.page({ ...QUERY, volumeAtLeastUsd: 50_000 });
    expect(rich.data.map(({ market }) => market.slug.replace(/-\d+$/, '')).sort()).toEqual([
      'bitcoin-above-ten-thousand',
      'rowing-final-finishes',
    ]);
    expect((await scan.page({ ...QUERY, endsBeforeMs: WORLD_START_MS + 1 })).data).toEqual([]);
  });

  it('says that a cursor has gone stale', async () => {
    await expect(
      createMarketScan({ client, metrics: silentMetrics }).page({ ...QUERY, cursor: 'bm9uZQ' }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

const ROW = {
  id: '1',
  conditionId: `0x${'1'.repeat(64)}`,
  slug: 's',
  question: 'q',
  outcomes: '["Yes","No"]',
  outcomePrices: '["0.97","0.03"]',
  clobTokenIds: '["1","2"]',
  version: 'v1',
  active: true,
  closed: false,
  acceptingOrders: true,
  enableOrderBook: true,
  endDate: '2026-12-31T12:00:00Z',
  orderPriceMinTickSize: 0.001,
  orderMinSize: 5,
  volumeNum: 10,
  liquidityNum: 5,
};

describe('reading a listing', () => {
  it.each([
    [
      'prices to four decimals',
      { outcomePrices: '["0.96755","0.03245"]' },
      { listedTicks: [9_675, 324] },
    ],
    ['no prices', { outcomePrices: null }, { listedTicks: null }],
    ['prices that do not add up', { outcomePrices: '["0.97","0.97"]' }, { listedTicks: null }],
    [
      'the series of its event',
      { events: [{ id: '1', seriesSlug: 'NBA-2026' }] },
      { categories: ['nba-2026'], isGame: false },
    ],
    ['a game', { gameId: 7 }, { isGame: true }],
    ['a sports market type', { sportsMarketType: 'totals' }, { isGame: true }],
    ['an empty sports market type', { sportsMarketType: '' }, { isGame: false }],
    [
      'a description that is a book',
      { description: 'x'.repeat(10_000) },
      { description: 'x'.repeat(2_000) },
    ],
  ])('takes %s', (_case, changes, expected) => {
    expect(readListing({ ...ROW, ...changes })).toMatchObject(expected);
  });

  it.each([
    ['another shape', { conditionId: 7 }, 'unreadable'],
    ['figures without meaning', { orderPriceMinTickSize: 0.3 }, 'unreadable'],
    ['an end that is no time', { endDate: 'soon' }, 'unreadable'],
    ['three outcomes', { clobTokenIds: '["1","2","3"]' }, null],
    ['no tokens yet', { clobTokenIds: '[]' }, null],
  ])('leaves out %s', (_case, changes, expected) => {
    expect(readListing({ ...ROW, ...changes })).toBe(expected);
  });
});
