import { describe, expect, it } from 'vitest';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type MarketId, type TokenId } from '../../../src/domain/ids.ts';
import type { MarketQuery } from '../../../src/ports/catalogue.ts';
import { createDirectory } from '../../../src/venues/venue-c/directory.ts';
import type { PayoutReads } from '../../../src/venues/venue-c/payouts.ts';
import { ownOf } from '../../../src/venues/venue-c/own.ts';
import { T0 } from '../../support/builders.ts';
import {
  aWire,
  aWireMarket,
  ADAPTER,
  aWirePool,
  CONDITION,
  EXCHANGE,
  NO,
  POOL_ADDRESS,
  SLUG,
  YES,
  type Answer,
} from './wire.ts';

const MARKET = asId<MarketId>(SLUG);

function aDirectory(
  answers: Record<string, Answer>,
  payouts: PayoutReads = () => expect.unreachable('the chain is not asked'),
) {
  const wire = aWire(answers);
  const directory = createDirectory({ listing: wire.listing, clock: wire.clock, payouts });
  const listed = (query: Partial<MarketQuery> = {}) =>
    directory.markets({ limit: 50, cursor: null, ...query });
  const slugs = async (query: Partial<MarketQuery> = {}) =>
    (await listed(query)).data.map(({ market }) => market.slug);
  return { ...wire, directory, listed, slugs };
}

const oneMarket = (change: object = {}) =>
  aDirectory({ [`/markets/${SLUG}`]: aWireMarket(change) });

/** The active markets of a venue that has so many, in pages as asked for. */
function pagesOf(count: number, change: (index: number) => object = () => ({})) {
  return (query: URLSearchParams) => {
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const first = (page - 1) * limit;
    const left = Math.max(0, Math.min(limit, count - first));
    return {
      totalMarketsCount: count,
      data: Array.from({ length: left }, (_, row) => {
        const index = first + row;
        const tokens = { yes: String(2 * index + 1), no: String(2 * index + 2) };
        return aWireMarket({ slug: `market-${index}`, tokens, ...change(index) });
      }),
    };
  };
}

describe('a market of a book', () => {
  it('is known by its slug, with what its orders need kept for the venue', async () => {
    const { directory } = oneMarket();
    const market = await directory.market(MARKET);
    expect(market).toMatchObject({
      venue: 'venue_c',
      marketId: SLUG,
      listingId: '36814',
      eventId: SLUG,
      question: 'Will A happen?',
      outcomes: [
        { tokenId: YES, label: 'Yes' },
        { tokenId: NO, label: 'No' },
      ],
      tickSize: 10,
      minSize: 1_000,
      takerDelay: false,
      acceptingOrders: true,
      closed: false,
      endsAtMs: T0 + 3_600_000,
      volumeUsd: 290.091252,
      liquidityUsd: null, // of its order books the venue states none
    });
    expect(market).not.toHaveProperty('mechanism');
    expect(market && ownOf(market)).toEqual({
      tradeType: 'clob',
      conditionId: CONDITION,
      exchange: EXCHANGE,
      adapter: null,
      negRiskRequestId: null,
    });
  });

  it('is shown with its rules as text and its prices as they are answered', async () => {
    const { directory } = oneMarket();
    expect(await directory.listing(SLUG)).toMatchObject({
      description: 'If A happens, Yes.\nElse No & no more.',
      tags: [
        { slug: 'politics', label: 'Politics' },
        { slug: 'recurring', label: 'Recurring' },
      ],
      prices: { bid: 1_600, ask: 1_700, last: null, probabilityE5: 16_400, statedAtMs: T0 },
      ending: null,
    });
  });

  it('has no quote on a side that the venue fills with its first or last step', async () => {
    const tradePrices = { buy: { market: [0.999, 0.999] }, sell: { market: [0.001, 0.001] } };
    const { directory } = oneMarket({ tradePrices });
    expect((await directory.listing(SLUG))?.prices).toMatchObject({ bid: null, ask: null });
  });

  it.each([
    ['CREATED', false, { acceptingOrders: false, closed: false }],
    ['FUNDED', true, { acceptingOrders: false, closed: false }],
    ['CLOSED', false, { acceptingOrders: false, closed: true }],
    ['DISPUTED', true, { acceptingOrders: false, closed: true }],
    ['RESOLVED', true, { acceptingOrders: false, closed: true }],
  ])('that is %s, expired %s, takes no orders', async (status, expired, state) => {
    const { directory } = oneMarket({ status, expired });
    expect(await directory.market(MARKET)).toMatchObject(state);
  });

  it('of an unknown exchange is shown, and says why it is not traded', async () => {
    const venue = { exchange: `0x${'22'.repeat(20)}`, adapter: null };
    const { directory } = oneMarket({ venue });
    expect(await directory.market(MARKET)).toMatchObject({
      acceptingOrders: false,
      notTradeable: 'It settles by a contract that is not known here.',
    });
  });

  it.each([
    ['other_collateral', { collateralToken: { address: EXCHANGE, decimals: 18, symbol: 'X' } }],
    ['trade_type', { tradeType: 'parlay' }],
    ['trade_type', { venue: null }],
    ['no_tokens', { tokens: null }],
    ['no_tokens', { tokens: { yes: YES, no: YES } }],
  ])('is not listed and counted as %s', async (reason, change) => {
    const { directory, metrics } = oneMarket(change);
    expect(await directory.market(MARKET)).toBeNull();
    expect(await metrics.renderMetrics()).toContain(
      `venue_dropped_total{venue="venue_c",channel="listing",reason="${reason}"} 1`,
    );
  });

  it('that has another form is an error that names where', async () => {
    const { directory } = oneMarket({ status: 7 });
    await expect(directory.market(MARKET)).rejects.toMatchObject({
      code: 'venue_protocol',
      message: expect.stringContaining('a market at status'),
    });
  });

  it('is not asked for by what can be no slug', async () => {
    const { directory, asked } = oneMarket();
    expect(await directory.market(asId<MarketId>('../orders'))).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe('a market of a pool', () => {
  it('is shown by its mechanism with its address, and not traded where no contract of pools is known', async () => {
    const { directory } = aDirectory({ '/markets/a-pool-1': aWirePool() });
    const listing = await directory.listing('a-pool-1');
    expect(listing?.market).toMatchObject({
      mechanism: 'pool',
      outcomes: [
        { tokenId: '71', label: 'Up' },
        { tokenId: '72', label: 'Down' },
      ],
      acceptingOrders: false,
      notTradeable: expect.stringContaining('pool'),
      liquidityUsd: 5_000,
      own: { tradeType: 'amm', conditionId: CONDITION, address: POOL_ADDRESS },
    });
    expect(listing?.prices).toMatchObject({ bid: null, ask: null, probabilityE5: 40_000 });
    const wire = aWire({ '/markets/a-pool-1': aWirePool() }, [POOL_ADDRESS]);
    const traded = (await wire.listing.market('a-pool-1'))?.market;
    expect([traded?.acceptingOrders, traded?.notTradeable]).toEqual([true, undefined]);
  });
});

describe('how a market ended', () => {
  it.each([
    [0, [10_000, 0]],
    [1, [0, 10_000]],
  ])('is by the winner %i', async (winningOutcomeIndex, payoutTicks) => {
    const { directory } = oneMarket({ status: 'RESOLVED', winningOutcomeIndex });
    expect(await directory.resolution(MARKET)).toMatchObject({ marketId: SLUG, payoutTicks });
    expect((await directory.listing(SLUG))?.ending).toMatchObject({ winner: winningOutcomeIndex });
  });

  it('is not known while the market is closed', async () => {
    const { directory } = oneMarket({ status: 'CLOSED', winningOutcomeIndex: 0 });
    expect(await directory.resolution(MARKET)).toBeNull();
  });

  it('is what the chain pays where no winner is stated, a part to each of a voided market', async () => {
    const onChain = { ticks: null as readonly [number, number] | null };
    const asked: string[] = [];
    const { directory } = aDirectory(
      {
        [`/markets/${SLUG}`]: aWireMarket({ status: 'RESOLVED', winningOutcomeIndex: null }),
      },
      async (conditionId) => {
        asked.push(conditionId);
        return onChain.ticks;
      },
    );
    const ending = async () => (await directory.listing(SLUG))?.ending;
    expect([await directory.resolution(MARKET), await ending()]).toEqual([null, null]);
    onChain.ticks = [5_000, 5_000];
    expect(await directory.resolution(MARKET)).toMatchObject({ payoutTicks: [5_000, 5_000] });
    expect(await ending()).toEqual({
      winner: null,
      payoutTicks: [5_000, 5_000],
      resolvedAtMs: null,
    });
    onChain.ticks = [0, 10_000];
    expect(await ending()).toMatchObject({ winner: 1 });
    expect(new Set(asked)).toEqual(new Set([CONDITION]));
  });

  it('is not shown while no winner is stated and the chain does not answer; no other failure is hidden', async () => {
    const failures = [
      new AppError('chain_unavailable', 'no answer', { retryable: true }),
      new Error('wrong'),
    ];
    const { directory } = aDirectory(
      { [`/markets/${SLUG}`]: aWireMarket({ status: 'RESOLVED', winningOutcomeIndex: null }) },
      () => Promise.reject(failures.shift() ?? new Error('asked once more')),
    );
    expect((await directory.listing(SLUG))?.ending).toBeNull();
    await expect(directory.listing(SLUG)).rejects.toThrow('wrong');
  });
});

describe('a group', () => {
  const child = (slug: string, yes: string, no: string, adapter = ADAPTER) => {
    const { collateralToken: _shared, tradeType: _type, ...market } = aWireMarket();
    return { ...market, slug, tokens: { yes, no }, venue: { exchange: EXCHANGE, adapter } };
  };
  const group = {
    ...aWireMarket(),
    slug: 'who-wins',
    title: 'Who wins?',
    tradeType: 'group',
    tokens: null,
    markets: [child('a-wins', '11', '12'), child('b-wins', '13', '14', POOL_ADDRESS)],
  };
  const byItself = { ...aWireMarket(), ...child('a-wins', '11', '12') };

  it('is an event with its markets, which say why they are not traded where they are not', async () => {
    const { directory } = aDirectory({ '/markets/who-wins': group });
    const event = await directory.event('who-wins');
    expect(event).toMatchObject({ eventId: 'who-wins', title: 'Who wins?' });
    expect(event?.markets).toMatchObject([
      {
        isOneOfEvent: true,
        market: { slug: 'a-wins', eventId: 'who-wins', acceptingOrders: true },
      },
      {
        isOneOfEvent: true,
        market: { slug: 'b-wins', acceptingOrders: false, notTradeable: expect.any(String) },
      },
    ]);
    expect(await directory.market(asId<MarketId>('who-wins'))).toBeNull();
  });

  it('is known of a market of it that is read by itself, once it was listed', async () => {
    const { directory } = aDirectory({
      '/markets/a-wins': byItself,
      '/markets/active': { data: [group], totalMarketsCount: 1 },
    });
    const market = () => directory.market(asId<MarketId>('a-wins'));
    expect(await market()).toMatchObject({ eventId: 'a-wins' });
    await directory.markets({ limit: 10, cursor: null });
    expect(await market()).toMatchObject({ eventId: 'who-wins', eventTitle: 'Who wins?' });
  });
});

describe('lists', () => {
  it('are read in pages of the largest size, and cut where a caller asks', async () => {
    const { listed, asked } = aDirectory({ '/markets/active': pagesOf(60) });
    const first = await listed({ limit: 40 });
    const second = await listed({ limit: 40, cursor: first.nextCursor });
    const slugs = [...first.data, ...second.data].map(({ market }) => market.slug);
    expect(slugs).toEqual(Array.from({ length: 60 }, (_, index) => `market-${index}`));
    expect(second.nextCursor).toBeNull();
    const limits = asked.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('limit'));
    expect(new Set(limits)).toEqual(new Set([String(VENUE_C.pageMaximum)]));
  });

  it('are ordered over all that is listed, whatever the order of the venue', async () => {
    const { slugs, asked } = aDirectory({
      '/markets/active': pagesOf(30, (index) => ({ volume: String(((index * 7) % 30) * 1e6) })),
    });
    const ordered = await slugs({ sort: 'volume', limit: 3 });
    expect(ordered).toEqual(['market-17', 'market-4', 'market-21']);
    expect(asked.every(({ path }) => path.includes('sortBy=high_value'))).toBe(true);
  });

  it('say where more is listed than is read to be ordered', async () => {
    const count = VENUE_C.pageMaximum * VENUE_C.listReadsMaximum + 1;
    const { listed } = aDirectory({ '/markets/active': pagesOf(count) });
    expect(await listed({ sort: 'newest', limit: 1 })).toMatchObject({ incomplete: true });
  });

  it('leave out what does not fit, and what has ended', async () => {
    const { slugs } = aDirectory({
      '/markets/active': pagesOf(4, (index) => ({
        status: index === 0 ? 'CLOSED' : 'FUNDED',
        categories: index === 1 ? ['Crypto Prices'] : [],
        expirationTimestamp: T0 + index * 1_000,
      })),
    });
    expect(await slugs()).toEqual(['market-1', 'market-2', 'market-3']);
    expect(await slugs({ tag: 'crypto-prices' })).toEqual(['market-1']);
    expect(await slugs({ endsAfterMs: T0 + 2_000 })).toEqual(['market-2', 'market-3']);
    expect(await slugs({ endsBeforeMs: T0 + 1_500 })).toEqual(['market-1']);
  });

  it('of what has ended are empty and say so: the venue has none, and is not asked', async () => {
    const { listed, asked } = aDirectory({ '/markets/active': pagesOf(4) });
    expect(await listed({ state: 'closed' })).toEqual({
      data: [],
      nextCursor: null,
      incomplete: true,
    });
    expect(asked).toEqual([]);
  });

  it('of words are what the venue finds', async () => {
    const { slugs, asked } = aDirectory({
      '/markets/search': { markets: [aWireMarket()], totalMarketsCount: 1 },
    });
    expect(await slugs({ search: 'a b' })).toEqual([SLUG]);
    expect(asked[0]?.path).toContain('query=a+b');
  });

  it.each([
    ['series', { series: 'daily' }],
    ['status', { status: 'FUNDED' }],
    ['eventId', { eventId: 'nowhere' }],
    ['cursor', { cursor: '0.next' }],
  ])('refuse a %s that the venue does not have', async (name, query) => {
    const { listed } = aDirectory({ '/markets/active': pagesOf(1) });
    await expect(listed(query)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: `/${name}` }],
    });
  });

  it('of events have one for each market', async () => {
    const { directory } = aDirectory({ '/markets/active': pagesOf(2) });
    const { data } = await directory.events({ limit: 5, cursor: null });
    expect(data.map(({ eventId, markets }) => [eventId, markets.length])).toEqual([
      ['market-0', 1],
      ['market-1', 1],
    ]);
  });
});

describe('the market of a token', () => {
  it('is asked for again by the slug that was read with it', async () => {
    const { directory, asked } = oneMarket();
    await directory.market(MARKET);
    const found = await directory.marketOfToken(asId<TokenId>(NO));
    expect(found?.slug).toBe(SLUG);
    expect(asked.map(({ path }) => path)).toEqual([`/markets/${SLUG}`, `/markets/${SLUG}`]);
  });

  it('is looked for among the active ones where none was read, as far as pages go', async () => {
    const { directory, asked, clock } = aDirectory({
      '/markets/active': pagesOf(1_000),
      '/markets/market-30': aWireMarket({ slug: 'market-30', tokens: { yes: '61', no: '62' } }),
    });
    const found = await directory.marketOfToken(asId<TokenId>('62'));
    expect([found?.slug, asked.length]).toEqual(['market-30', VENUE_C.listReadsMaximum + 1]);
    // unknown tokens are no reason to read all of it again
    expect(await directory.marketOfToken(asId<TokenId>('999999'))).toBeNull();
    expect(await directory.marketOfToken(asId<TokenId>('no-token'))).toBeNull();
    expect(asked).toHaveLength(VENUE_C.listReadsMaximum + 1);
    await clock.advance(VENUE_C.collectedKeptMs);
    expect(await directory.marketOfToken(asId<TokenId>('999998'))).toBeNull();
    expect(asked.length).toBeGreaterThan(VENUE_C.listReadsMaximum + 1);
  });
});
