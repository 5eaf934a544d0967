import { describe, expect, it } from 'vitest';
import { asId } from '../../../src/domain/ids.ts';
import type { MarketQuery } from '../../../src/ports/venue.ts';
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

  it('pages through markets by the rows read so far, and skips one it cannot read', async () => {
    const { list, asked } = begin({
      '/api/v1/markets': { markets: [aWireMarket(), { ticker: 7 }], cursor: 2 },
    });
    const { data, nextCursor } = await list({ limit: 2, cursor: '40', sort: 'volume' });
    expect([data.map(({ market }) => market.marketId), nextCursor]).toEqual([[TICKER], '2']);
    expect(asked.map(({ path }) => path)).toEqual([
      '/markets?limit=2&status=active&cursor=40&sort=volume',
    ]);
  });

  it('has no page behind one that is not full', async () => {
    const { list } = begin({ '/api/v1/markets': { markets: [aWireMarket()], cursor: 1 } });
    expect((await list()).nextCursor).toBeNull();
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
      '/events?limit=10&status=active&withNestedMarkets=true&seriesTickers=KXTEST',
      '/search?limit=10&status=active&withNestedMarkets=true&q=happens&withMarketAccounts=true',
    ]);
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

  it('shows no figure of an event that has run over', async () => {
    const { directory } = begin({ '/api/v1/event/KXTEST-26DEC': EVENT });
    expect(await directory.event('KXTEST-26DEC')).toMatchObject({ liquidityUsd: 0, markets: [] });
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
