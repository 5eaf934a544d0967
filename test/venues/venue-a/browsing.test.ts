import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createBrowsing, type Browsing } from '../../../src/venues/venue-a/browsing.ts';
import { createVenueClient, type VenueClient } from '../../../src/venues/venue-a/client.ts';
import type { HttpCalls } from '../../../src/adapters/wire/http-calls.ts';
import type { MarketQuery } from '../../../src/ports/catalogue.ts';
import type { World } from '../../../src/sandbox/world.ts';
import { silentMetrics } from '../../support/fixtures/wire-venue.ts';
import { WORLD_START_MS, startSmallWorld } from '../../support/worlds/small-world.ts';

const ROUND = `btc-updown-5m-${WORLD_START_MS / 1_000}`;
const DAY_MS = 86_400_000;
let clock: VirtualClock;
let world: World;
let client: VenueClient;
let browsing: Browsing;

beforeAll(async () => {
  ({ clock, world } = await startSmallWorld());
  await clock.advance(20_000);
  client = createVenueClient({ urls: world.urls.venues.venue_a, clock, metrics: silentMetrics });
  browsing = createBrowsing({ client, clock });
});
afterAll(async () => {
  await client.close();
  await world.close();
});

/** A second of the world's time, so that the next reads are within their rate. */
const refill = (): Promise<void> => clock.advance(1_000);
const slugs = async (query: Partial<MarketQuery>) =>
  (await browsing.markets({ limit: 100, cursor: null, ...query })).data.map(
    ({ market }) => market.slug,
  );
const eventSlugs = async (query: Partial<MarketQuery>) =>
  (await browsing.events({ limit: 100, cursor: null, ...query })).data.map(({ slug }) => slug);

describe('browsing before the sandbox catalogue', () => {
  it('tells prices, rules, tags and series of a market by its slug and by its id', async () => {
    const bySlug = await browsing.listing(ROUND);
    expect(bySlug).toMatchObject({
      market: { slug: ROUND },
      eventSlug: ROUND,
      series: { seriesId: '10684', slug: 'btc-up-or-down-5m', title: 'BTC Up or Down 5m' },
      tags: [
        { slug: 'crypto', label: 'Crypto' },
        { slug: 'up-or-down', label: 'Up or Down' },
      ],
      description: expect.stringMatching(/^Resolves to "Up"/),
      ending: null,
      prices: {
        bid: expect.any(Number),
        ask: expect.any(Number),
        probabilityE5: expect.any(Number),
        statedAtMs: expect.any(Number),
      },
    });
    expect(clock.nowMs() - (bySlug?.prices?.statedAtMs ?? 0)).toBeLessThan(60_000);
    expect(await browsing.listing(bySlug?.market.marketId ?? '')).toMatchObject({
      market: { slug: ROUND },
      tags: bySlug?.tags,
      prices: expect.any(Object),
    });
    expect([
      await browsing.listing('no-such-market'),
      await browsing.listing('../status'),
      await browsing.listing(`0x${'00'.repeat(32)}`),
    ]).toEqual([null, null, null]);
    await refill();
  });

  it('lists the markets of an event, of a series and of a tag, and no others', async () => {
    const [comets] = (
      await browsing.events({ limit: 5, cursor: null, slug: 'brightest-comet-of-the-season' })
    ).data;
    const ofComets = ['brightest-comet-a', 'brightest-comet-b', 'brightest-comet-c'];
    expect(comets?.markets.map(({ market, groupTitle }) => [market.slug, groupTitle])).toEqual([
      ['brightest-comet-a', 'Comet A'],
      ['brightest-comet-b', 'Comet B'],
      ['brightest-comet-c', 'Comet C'],
    ]);
    expect(await slugs({ eventId: comets?.eventId })).toEqual(ofComets);
    expect(
      comets?.markets.every(
        ({ eventSlug, eventTitle }) => eventSlug === comets.slug && eventTitle === comets.title,
      ),
    ).toBe(true);
    expect(await slugs({ tag: 'science' })).toEqual(expect.arrayContaining(ofComets));
    expect(await eventSlugs({ tag: 'weather', slug: 'snow-in-lisbon-this-season' })).toEqual([
      'snow-in-lisbon-this-season',
    ]);
    expect(await eventSlugs({ tag: 'science', slug: 'snow-in-lisbon-this-season' })).toEqual([]);
    await refill();
    const ofSeries = await slugs({ series: 'eth-up-or-down-15m' });
    expect([
      ofSeries.length > 3,
      ofSeries.every((slug) => slug.startsWith('eth-updown-15m-')),
    ]).toEqual([true, true]);
    expect(await slugs({ seriesId: '10191' })).toEqual(ofSeries);
    expect(await slugs({ slug: ROUND })).toEqual([ROUND]);
    await refill();
  });

  it('pages through the markets of a series and of an event without repeating or losing one', async () => {
    for (const [query, calls] of [
      [{ series: 'eth-up-or-down-15m' }, 3],
      [{ eventId: '700101' }, 2],
    ] as const) {
      const whole = await slugs(query);
      const given: string[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < calls; page += 1) {
        const { data, nextCursor } = await browsing.markets({ limit: 2, cursor, ...query });
        given.push(...data.map(({ market }) => market.slug));
        cursor = nextCursor;
        if (cursor === null) break;
      }
      expect(given).toEqual(whole.slice(0, calls * 2));
      await refill();
    }
  });

  it('bounds the end from both sides, and sorts by volume, end and age', async () => {
    const within = await browsing.markets({
      limit: 100,
      cursor: null,
      endsAfterMs: WORLD_START_MS + DAY_MS,
      endsBeforeMs: WORLD_START_MS + 31 * DAY_MS,
    });
    expect(within.data.length).toBeGreaterThan(1);
    expect(
      within.data.every(
        ({ market }) =>
          market.endsAtMs >= WORLD_START_MS + DAY_MS &&
          market.endsAtMs <= WORLD_START_MS + 31 * DAY_MS,
      ),
    ).toBe(true);
    const ends = (await browsing.markets({ limit: 20, cursor: null, sort: 'ending' })).data.map(
      ({ market }) => market.endsAtMs,
    );
    expect([ends[0], ends]).toEqual([WORLD_START_MS + 300_000, ends.toSorted((a, b) => a - b)]);
    const volumes = (await browsing.markets({ limit: 20, cursor: null, sort: 'volume' })).data.map(
      ({ market }) => market.volumeUsd,
    );
    expect([(volumes[0] ?? 0) > 0, volumes]).toEqual([true, volumes.toSorted((a, b) => b - a)]);
    await refill();
    const opened = (await browsing.markets({ limit: 20, cursor: null, sort: 'newest' })).data.map(
      ({ opensAtMs }) => opensAtMs ?? 0,
    );
    expect(opened).toEqual(opened.toSorted((a, b) => b - a));
    const lastDay = (
      await browsing.markets({ limit: 20, cursor: null, sort: 'volume24h' })
    ).data.map(({ volume24hUsd }) => volume24hUsd ?? 0);
    expect([(lastDay[0] ?? 0) > 0, lastDay]).toEqual([true, lastDay.toSorted((a, b) => b - a)]);
    const eventVolumes = (
      await browsing.events({ limit: 20, cursor: null, sort: 'volume' })
    ).data.map(({ volumeUsd }) => volumeUsd);
    expect(eventVolumes).toEqual(eventVolumes.toSorted((a, b) => b - a));
    await refill();
  });

  it('filters what a search finds by what the venue cannot search for', async () => {
    expect(await slugs({ search: 'comet', tag: 'science' })).toHaveLength(3);
    expect([
      await slugs({ search: 'comet', tag: 'crypto' }),
      await eventSlugs({ search: 'comet', endsBeforeMs: WORLD_START_MS }),
    ]).toEqual([[], []]);
    await refill();
  });

  it.each([
    ['tag', { tag: 'no-such-tag' }],
    ['series', { series: 'no-such-series' }],
    ['eventId', { eventId: '424242424242' }],
  ])('calls an unknown %s a fault of the caller, with its path', async (parameter, query) => {
    await expect(browsing.markets({ limit: 5, cursor: null, ...query })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: `/${parameter}` }],
    });
    await refill();
  });

  it('says how closed markets ended and when, latest first, and no price of theirs', async () => {
    await clock.advanceTo(WORLD_START_MS + 900_000);
    const closed = await browsing.markets({
      limit: 10,
      cursor: null,
      state: 'closed',
      sort: 'ending',
    });
    expect(closed.data.length).toBeGreaterThan(1);
    for (const { market, ending, prices } of closed.data) {
      expect([market.closed, prices, ending?.payoutTicks.toSorted()]).toEqual([
        true,
        null,
        [0, 10_000],
      ]);
      expect(ending?.winner).toBe(ending?.payoutTicks[0] === 10_000 ? 0 : 1);
      expect(ending?.resolvedAtMs).toBeGreaterThanOrEqual(market.endsAtMs);
    }
    const ends = closed.data.map(({ market }) => market.endsAtMs);
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
    expect((await browsing.listing(ROUND))?.ending).not.toBeNull();
  });
});

describe('a page that is larger than an answer may be', () => {
  /** A catalogue of events that gives at most `fits` of them in one answer. */
  function heavyCatalogue(fits: number) {
    const asked: string[] = [];
    const gamma: HttpCalls = {
      async send({ path }) {
        const limit = Number(new URL(path, 'http://venue').searchParams.get('limit'));
        asked.push(`${limit}`);
        const events = Array.from({ length: limit }, (_, index) => ({
          id: String(index),
          markets: [],
        }));
        return limit > fits
          ? { kind: 'lost', cause: 'an answer over 4194304 bytes', isOversized: true }
          : {
              kind: 'answered',
              status: 200,
              text: JSON.stringify({ events, next_cursor: 'on' }),
              retryAfterMs: null,
            };
      },
      close: async () => undefined,
    };
    const heavy = createVenueClient({
      urls: world.urls.venues.venue_a,
      clock,
      metrics: silentMetrics,
      hosts: { gamma, clob: gamma, data: gamma, site: gamma },
    });
    return { asked, browsing: createBrowsing({ client: heavy, clock }) };
  }

  it('is asked for again, shorter, and goes on from there', async () => {
    const { asked, browsing: heavy } = heavyCatalogue(5);
    const { data, nextCursor } = await heavy.events({ limit: 5, cursor: null });
    expect([asked, data.length, nextCursor]).toEqual([['6', '2', '4'], 5, '3.on']);
  });

  it('is given up where a single entry is too large', async () => {
    const { asked, browsing: heavy } = heavyCatalogue(0);
    await expect(heavy.events({ limit: 50, cursor: null })).rejects.toMatchObject({
      code: 'venue_unavailable',
    });
    expect(asked).toEqual(['20', '5', '2', '1']);
  });
});

describe('a listing that is behind', () => {
  it('stale-listing: says how old its prices are', async () => {
    world.faults.arm('stale-listing', {});
    const listing = await browsing.listing('brightest-comet-a');
    world.faults.clear('stale-listing');
    expect(clock.nowMs() - (listing?.prices?.statedAtMs ?? clock.nowMs())).toBe(300_000);
  });
});
