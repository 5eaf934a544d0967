import { describe, expect, it } from 'vitest';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { MarketQuery } from '../../../src/ports/catalogue.ts';
import { createDirectory } from '../../../src/venues/venue-b/directory.ts';
import { T0 } from '../../support/builders.ts';
import { aWire, aWireMarket, NO, TICKER, YES, type Answer } from './wire.ts';

const EVENT = {
  ticker: 'KXTEST-26DEC',
  seriesTicker: 'KXTEST',
  title: 'What happens',
  subtitle: '',
  volume: 5,
  liquidity: 1.8446744073709552e19,
};

function begin(answers: Record<string, Answer>) {
  const wire = aWire(answers);
  const directory = createDirectory({ ...wire });
  const list = (query: Partial<MarketQuery> = {}) =>
    directory.markets({ limit: 10, cursor: null, ...query });
  return { ...wire, directory, list };
}

/** Events of one market each, of which the first ones have ended; later ones end sooner. */
const events = (count: number, ended = 120) =>
  Array.from({ length: count }, (_, index) => ({
    ...EVENT,
    ticker: `E${index}`,
    markets: [
      aWireMarket({
        ticker: `E${index}-M`,
        eventTicker: `E${index}`,
        status: index < ended ? 'finalized' : 'active',
        openTime: T0 / 1_000 - 3_600 - index,
        closeTime: T0 / 1_000 + 7_320 - index,
      }),
    ],
  }));

/** Answers pages of a list, by the rows read so far. */
const pagesOf =
  (rows: readonly object[]): Answer =>
  (query) => {
    const from = Number(query.get('cursor') ?? 0);
    const until = from + Math.min(Number(query.get('limit')), 100);
    return { events: rows.slice(from, until), cursor: Math.min(until, rows.length) };
  };

const one = (market: object) => ({ [`/api/v1/market/${TICKER}`]: market });

describe('the directory of venue_b', () => {
  it('reads a market with the tokens of its USDC rail, in whole contracts and cents', async () => {
    const { directory } = begin(one(aWireMarket()));
    expect(await directory.market(asId(TICKER))).toMatchObject({
      venue: 'venue_b',
      marketId: TICKER,
      eventId: 'KXTEST-26DEC',
      outcomes: [
        { tokenId: YES, label: 'Yes' },
        { tokenId: NO, label: 'No' },
      ],
      tickSize: 100,
      minSize: 1_000_000,
      acceptingOrders: true,
      closed: false,
      endsAtMs: T0 + 3_600_000,
    });
  });

  it('gives a market to trade the title of its event once that was read, and asks for none', async () => {
    const { directory } = begin({
      ...one(aWireMarket()),
      '/api/v1/event/KXTEST-26DEC': EVENT,
    });
    expect(await directory.market(asId(TICKER))).not.toHaveProperty('eventTitle');
    await directory.listing(TICKER);
    expect(await directory.market(asId(TICKER))).toMatchObject({ eventTitle: 'What happens' });
  });

  it.each([
    ['of a series by when it is', {}, 'What happens · On Nov 30, 2026'],
    [
      'by that alone where the question has its title',
      { title: 'What happens' },
      'On Nov 30, 2026',
    ],
  ])('names an event beside a question: %s', async (_why, change, eventTitle) => {
    const { directory } = begin({
      ...one(aWireMarket(change)),
      '/api/v1/event/KXTEST-26DEC': { ...EVENT, subtitle: 'On Nov 30, 2026' },
    });
    expect(await directory.listing(TICKER)).toMatchObject({ eventTitle, market: { eventTitle } });
  });

  it.each([
    ['it has another dollar rail alone', { accounts: { CASHx9: {} } }, 'no_rail'],
    ['it is not binary', { marketType: 'scalar' }, 'not_binary'],
  ])('lists no market where %s, and counts it', async (_why, change, reason) => {
    const { directory, metrics } = begin(one(aWireMarket(change)));
    expect(await directory.market(asId(TICKER))).toBeNull();
    expect(await metrics.renderMetrics()).toMatch(
      new RegExp(`venue_dropped_total{venue="venue_b",channel="listing",reason="${reason}"} 1`),
    );
  });

  it('asks about no text that is neither ticker nor token', async () => {
    const { directory, asked } = begin({});
    expect([
      await directory.market(asId('../secrets')),
      await directory.marketOfToken(asId('123')),
      asked,
    ]).toEqual([null, null, []]);
  });

  it('says how a market ended once it is determined, and not by a result before', async () => {
    const { directory, answers } = begin(one(aWireMarket({ status: 'closed', result: 'no' })));
    expect(await directory.resolution(asId(TICKER))).toBeNull();
    answers[`/api/v1/market/${TICKER}`] = aWireMarket({ status: 'determined', result: 'no' });
    expect(await directory.resolution(asId(TICKER))).toEqual({
      marketId: TICKER,
      payoutTicks: [0, 10_000],
      resolvedAtMs: T0,
    });
  });

  it('pages through markets by the events read so far, and skips one it cannot read', async () => {
    const { list, asked } = begin({
      '/api/v1/events': {
        events: [{ ...EVENT, markets: [aWireMarket(), { ticker: 7 }] }],
        cursor: 2,
      },
    });
    const { data, nextCursor } = await list({ limit: 2, cursor: '0.40' });
    expect([data.map(({ market }) => market.marketId), nextCursor]).toEqual([[TICKER], null]);
    expect(asked.map(({ path }) => path)).toEqual([
      '/events?limit=3&withNestedMarkets=true&cursor=40&status=active',
    ]);
  });

  it('finds the markets of an event, of a series and of a search by their events', async () => {
    const nested = { ...EVENT, markets: [aWireMarket(), aWireMarket({ status: 'finalized' })] };
    const { list, asked } = begin({
      '/api/v1/event/KXTEST-26DEC': nested,
      '/api/v1/events': { events: [nested] },
      '/api/v1/search': { events: [nested] },
    });
    for (const query of [{ eventId: 'KXTEST-26DEC' }, { series: 'KXTEST' }, { search: 'happens' }])
      expect((await list(query)).data.map(({ market }) => market.acceptingOrders)).toEqual([true]);
    expect(asked.map(({ path }) => path)).toEqual([
      '/event/KXTEST-26DEC?withNestedMarkets=true',
      '/events?limit=11&withNestedMarkets=true&status=active&seriesTickers=KXTEST',
      '/search?limit=11&withNestedMarkets=true&q=happens&withMarketAccounts=true',
    ]);
  });

  it('fills a page of a search with what trades, behind events that have ended', async () => {
    const { list, directory } = begin({ '/api/v1/search': pagesOf(events(250)) });
    const first = await list({ search: 'bitcoin', limit: 3 });
    expect(first.data.map(({ market }) => market.marketId)).toEqual(['E120-M', 'E121-M', 'E122-M']);
    const rest = await list({ search: 'bitcoin', limit: 200, cursor: first.nextCursor });
    expect([rest.data.length, rest.nextCursor]).toEqual([127, null]);
    const found = await directory.events({ search: 'bitcoin', limit: 130, cursor: null });
    expect([found.data.length, found.nextCursor]).toEqual([130, null]);
    const none = await list({ search: 'bitcoin', series: 'KXOTHER' });
    expect(none).toEqual({ data: [], nextCursor: null });
  });

  it('looks through so many events for one page, says so, and goes on from there', async () => {
    const { list, asked } = begin({ '/api/v1/search': pagesOf(events(1_400, 1_390)) });
    const first = await list({ search: 'bitcoin', limit: 99 });
    expect([first.data.length, first.incomplete]).toEqual([0, true]);
    expect(asked).toHaveLength(VENUE_B.listReadsMaximum);
    const second = await list({ search: 'bitcoin', limit: 99, cursor: first.nextCursor });
    expect([second.data.length, second.nextCursor, second.incomplete]).toEqual([
      10,
      null,
      undefined,
    ]);
  });

  it('orders by the end, nearest first, also over events, and takes ends from both sides', async () => {
    const { list, directory } = begin({ '/api/v1/events': pagesOf(events(250)) });
    const first = await list({ sort: 'ending', limit: 2 });
    const second = await list({ sort: 'ending', limit: 2, cursor: first.nextCursor });
    expect([...first.data, ...second.data].map(({ market }) => market.marketId)).toEqual([
      'E249-M',
      'E248-M',
      'E247-M',
      'E246-M',
    ]);
    const byEnd = await directory.events({ sort: 'ending', limit: 2, cursor: null });
    expect(byEnd.data.map(({ eventId }) => eventId)).toEqual(['E249', 'E248']);
    const within = { endsAfterMs: T0 + 7_198_000, endsBeforeMs: T0 + 7_200_000 };
    const ends = (await list(within)).data.map(({ market }) => market.endsAtMs - T0);
    expect(ends).toEqual([7_200_000, 7_199_000, 7_198_000]);
    const inTime = await directory.events({ ...within, limit: 5, cursor: null });
    expect([inTime.data.length, inTime.nextCursor]).toEqual([3, null]);
    const newest = await list({ sort: 'newest', limit: 1 });
    expect(newest.data.map(({ market }) => market.marketId)).toEqual(['E120-M']);
  });

  it('shows one series and event title of a market in every list and alone', async () => {
    const { list, directory, asked } = begin({
      '/api/v1/events': { events: [{ ...EVENT, markets: [aWireMarket()] }] },
      '/api/v1/search': { events: [{ ...EVENT, markets: [aWireMarket()] }] },
      '/api/v1/event/KXTEST-26DEC': { ...EVENT, markets: [aWireMarket()] },
      ...one(aWireMarket()),
    });
    const alone = await directory.listing(TICKER);
    expect(alone).toMatchObject({
      eventTitle: 'What happens',
      series: { slug: 'KXTEST' },
      volume24hUsd: null,
    });
    const queries = [{}, { search: 'a' }, { eventId: 'KXTEST-26DEC' }, { slug: TICKER }] as const;
    for (const query of [...queries, { series: 'KXTEST' }, { sort: 'volume24h' } as const])
      expect((await list(query)).data).toEqual([alone]);
    expect((await directory.event('KXTEST-26DEC'))?.markets).toEqual([alone]);
    asked.length = 0;
    await directory.listing(TICKER);
    expect(asked.map(({ path }) => path)).toEqual([`/market/${TICKER}`]);
  });

  it('takes the other filters beside an event', async () => {
    const { list } = begin({
      '/api/v1/event/KXTEST-26DEC': { ...EVENT, markets: [aWireMarket()] },
    });
    const found = async (query: object) =>
      (await list({ eventId: 'KXTEST-26DEC', ...query })).data.length;
    expect([
      await found({ search: 'HAPPENS', series: 'KXTEST', status: 'active' }),
      await found({ search: 'zzz' }),
      await found({ series: 'KXOTHER' }),
      await found({ status: 'finalized' }),
    ]).toEqual([1, 0, 0, 0]);
  });

  it('shows of an event the liquidity of the markets it is shown with', async () => {
    const markets = [
      aWireMarket({ openInterest: 800 }),
      aWireMarket({ ticker: 'KXTEST-26DEC-2', openInterest: 20 }),
    ];
    const { directory } = begin({
      '/api/v1/event/KXTEST-26DEC': { ...EVENT, liquidity: 5, markets },
    });
    const event = await directory.event('KXTEST-26DEC');
    expect([event?.liquidityUsd, event?.markets.map(({ market }) => market.liquidityUsd)]).toEqual([
      820,
      [800, 20],
    ]);
  });

  it('shows no liquidity of a market that states none, nor of an event whose markets state none', async () => {
    const { openInterest: _none, ...wire } = aWireMarket();
    const { directory } = begin({
      '/api/v1/event/KXTEST-26DEC': { ...EVENT, liquidity: 5, markets: [wire] },
    });
    const event = await directory.event('KXTEST-26DEC');
    expect([event?.liquidityUsd, event?.markets.map(({ market }) => market.liquidityUsd)]).toEqual([
      null,
      [null],
    ]);
  });

  it('shows no figure of an event that has run over', async () => {
    const { directory } = begin({ '/api/v1/event/KXTEST-26DEC': EVENT });
    expect(await directory.event('KXTEST-26DEC')).toMatchObject({
      liquidityUsd: null,
      markets: [],
    });
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'venue_unavailable'],
    [403, 'venue_restricted'],
    [400, 'venue_protocol'],
  ])('tells an answer of %i as %s', async (status, code) => {
    const { directory } = begin({ [`/api/v1/market/${TICKER}`]: [status, {}] });
    await expect(directory.market(asId(TICKER))).rejects.toMatchObject({ code });
  });

  it('refuses a cursor of another list', async () => {
    await expect(begin({}).list({ cursor: 'abc' })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
  });
});
