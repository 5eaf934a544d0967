import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../../../../src/adapters/wire/keccak.ts';
import { createExchange } from '../../../../../src/sandbox/engine/exchange.ts';
import { createFaultBoard } from '../../../../../src/sandbox/faults.ts';
import { startMarketStats } from '../../../../../src/sandbox/engine/market-stats.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../../src/sandbox/feeds/prices/price-process.ts';
import { startRounds } from '../../../../../src/sandbox/venues/venue-a/markets/rounds.ts';
import { startStandingMarkets } from '../../../../../src/sandbox/venues/venue-a/markets/standing-markets.ts';
import { startGamma } from '../../../../../src/sandbox/venues/venue-a/gamma/gamma.ts';
import { chainIds } from '../../../../../src/sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../../../../src/sandbox/venues/venue-a/markets/market-ids.ts';

const TERMS = conditionTerms(3);

const START_MS = 1_780_876_800_000;
const SLUG = 'btc-updown-5m-1780876800';
const keccak = await loadKeccak();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('catalogue', () => {
  it('gives a round with its lists as JSON text, its window, fees and an empty maker address', async () => {
    const { get } = await started();
    const { body } = await get(`/markets/slug/${SLUG}`);
    expect(body).toMatchObject({
      slug: SLUG,
      question: 'Bitcoin Up or Down - June 7, 8:00PM-8:05PM ET',
      outcomes: '["Up", "Down"]',
      active: true,
      closed: false,
      acceptingOrders: true,
      enableOrderBook: true,
      endDate: '2026-06-08T00:05:00Z',
      eventStartTime: '2026-06-08T00:00:00Z',
      startDate: '2026-06-07T22:00:00Z',
      orderPriceMinTickSize: 0.01,
      orderMinSize: 5,
      negRisk: false,
      marketMakerAddress: '',
      feesEnabled: true,
      feeType: 'crypto_fees_v2',
      feeSchedule: { exponent: 1, rate: 0.07, takerOnly: true, rebateRate: 0.2 },
      resolutionSource: 'https://data.chain.link/streams/btc-usd',
      cryptoMarketConfig: { asset: 'btc', duration: '5m', twapEnabled: false },
    });
    expect(JSON.parse(body.clobTokenIds)).toHaveLength(2);
    expect(body.events[0]).toMatchObject({ slug: SLUG, seriesSlug: 'btc-up-or-down-5m' });
    expect((await get(`/markets/${body.id}`)).body.conditionId).toBe(body.conditionId);
  });

  it('answers 404 for a window that is not listed yet, then empty token ids, then the ids', async () => {
    const { get, clock } = await started();
    const slug = `btc-updown-5m-${START_MS / 1000 + 7_500}`;
    expect((await get(`/markets/slug/${slug}`)).status).toBe(404);
    await clock.advance(300_000);
    expect((await get(`/markets/slug/${slug}`)).body.clobTokenIds).toBe('[]');
    await clock.advance(61_000);
    expect(JSON.parse((await get(`/markets/slug/${slug}`)).body.clobTokenIds)).toHaveLength(2);
  });

  it('shows the price to beat some seconds after the start, and the final price and outcome after the end', async () => {
    const { get, clock } = await started();
    await clock.advance(7_000);
    expect((await get(`/events/slug/${SLUG}`)).body.eventMetadata).toBeUndefined();
    await clock.advance(1_000);
    const { body } = await get(`/events/slug/${SLUG}`);
    expect(body.eventMetadata.priceToBeat).toBeCloseTo(65_454, -4);
    expect(body).toMatchObject({
      startTime: '2026-06-08T00:00:00Z',
      seriesSlug: 'btc-up-or-down-5m',
      series: [{ id: '10684', recurrence: '5m' }],
      tags: [{ slug: 'crypto' }, { slug: 'up-or-down' }],
    });
    await clock.advance(420_000);
    const closed = (await get(`/markets/slug/${SLUG}`)).body;
    expect(closed).toMatchObject({
      closed: true,
      acceptingOrders: false,
      umaResolutionStatus: 'resolved',
      closedTime: '2026-06-08 00:07:00+00',
    });
    const { priceToBeat, finalPrice } = closed.events[0].eventMetadata;
    expect(closed.outcomePrices).toBe(finalPrice >= priceToBeat ? '["1", "0"]' : '["0", "1"]');
  });

  it('pages by cursor without a loss or a double, and leaves the cursor out on the last page', async () => {
    const { get } = await started();
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await get(
        `/markets/keyset?limit=20&order=endDate&ascending=true${cursor === '' ? '' : `&after_cursor=${cursor}`}`,
      );
      seen.push(...body.markets.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor ?? '';
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(25 + 27 + 7);
    expect((await get('/markets/keyset?offset=20')).status).toBe(422);
    expect((await get('/markets/keyset?after_cursor=nonsense')).status).toBe(422);
    expect((await get('/markets?limit=2&offset=2')).body).toHaveLength(2);
  });

  it('finds the next windows of a series, one event with several markets, and words', async () => {
    const { get } = await started();
    const { body } = await get(
      '/events/keyset?series_id=10684&closed=false&order=endDate&ascending=true&limit=3',
    );
    expect(body.events.map(({ slug }: { slug: string }) => slug)).toEqual([
      SLUG,
      'btc-updown-5m-1780877100',
      'btc-updown-5m-1780877400',
    ]);
    expect(body.next_cursor).toBeDefined();
    expect((await get('/events/slug/brightest-comet-of-the-season')).body.markets).toHaveLength(3);
    expect((await get('/public-search?q=lisbon%20snow')).body.events).toMatchObject([
      { slug: 'snow-in-lisbon-this-season' },
    ]);
    expect((await get('/series?limit=50')).body.map(({ slug }: { slug: string }) => slug)).toEqual([
      'eth-up-or-down-15m',
      'btc-up-or-down-15m',
      'sol-up-or-down-15m',
      'btc-up-or-down-5m',
    ]);
    expect((await get('/tags')).body[0]).toMatchObject({ slug: 'crypto' });
  });

  it('is late, stale or empty when that fault is set', async () => {
    const { get, clock, faults } = await started();
    await clock.advance(10_000);
    faults.arm('late-strike', { times: 1, delayMs: 30_000 });
    expect((await get(`/events/slug/${SLUG}`)).body.eventMetadata).toBeUndefined();
    faults.arm('late-hydration', { times: 1 });
    expect((await get(`/markets/slug/${SLUG}`)).body.clobTokenIds).toBe('[]');
    faults.arm('stale-listing', { times: 1, delayMs: 9_000 });
    expect((await get(`/events/slug/${SLUG}`)).body.eventMetadata).toBeUndefined();
    expect((await get(`/events/slug/${SLUG}`)).body.eventMetadata.priceToBeat).toBeGreaterThan(
      1_000,
    );
  });
});

async function started() {
  const clock = createVirtualClock(START_MS);
  const faults = createFaultBoard(createSeededRandom(4));
  const exchange = createExchange({ clock, random: createSeededRandom(3), faults });
  const prices = createPriceProcess(3, startingPrices(START_MS / 1000 - 3_600));
  const idsOf = (slug: string) => chainIds(keccak, TERMS, slug);
  const rounds = startRounds({
    clock,
    exchange,
    prices,
    idsOf,
    rule: 'spot',
    listingHorizonMs: 7_200_000,
    hydrationDelayMs: 60_000,
    resolutionDelayMs: 120_000,
  });
  const standing = startStandingMarkets({ clock, exchange, seed: 3, idsOf, foundedAtMs: START_MS });
  const host = await startGamma({
    port: 0,
    clock,
    faults,
    exchange,
    stats: startMarketStats(clock, exchange, 1_000),
    listings: () => [...rounds.listings(), ...standing.listings()],
    strikeE18: rounds.strikeE18,
    finalE18: rounds.finalE18,
    twap: false,
    strikeDelayMs: 8_000,
  });
  closers.push(() => host.close());
  const get = async (target: string) => {
    const response = await fetch(`${host.url}${target}`);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { get, clock, faults };
}
