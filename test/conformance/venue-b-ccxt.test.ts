import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import type { Listing } from '../../src/sandbox/venues/venue-b/model/listing.ts';
import type { MarketModel } from '../../src/sandbox/venues/venue-b/model/market-model.ts';
import { createExchangeKeys } from '../../src/sandbox/venues/venue-b/wire/exchange-auth.ts';
import { exchangeRoutes } from '../../src/sandbox/venues/venue-b/wire/exchange.ts';
import { serveHttp, type Listening } from '../../src/sandbox/wire/http-server.ts';
import { BadSymbol, ccxtExchange, type CcxtExchange } from '../peers/ccxt.ts';
import { aModel, marketsIn } from '../sandbox/venues/venue-b/a-model.ts';

const TICKS = 10_000;
const MINUTE_MS = 60_000;

describe('ccxt 4.5.84’s Kalshi against the exchange behind the sandbox’s venue_b', () => {
  let server: Listening;
  let model: MarketModel;
  let listing: Listing;
  let exchange: CcxtExchange;
  let isClosed = false;

  beforeAll(async () => {
    ({ model } = aModel());
    const wall = createWallClock();
    server = await serveHttp({
      clock: wall,
      routes: exchangeRoutes(model, { keys: createExchangeKeys([]), isClosed: () => isClosed }),
    });
    exchange = ccxtExchange(server.url);
    const quick = marketsIn(model, 'active').find(
      ({ seriesTicker }) => seriesTicker === 'KXBTC15M',
    );
    if (quick === undefined) throw new Error('nothing is listed');
    listing = quick;
    model.script(listing, { book: { yes: { 9_500: 31, 9_400: 97 }, no: { 400: 20, 300: 7 } } });
  });
  afterAll(() => server.close());

  it('lists every open market once, by a name of its own, with its finest step', async () => {
    const markets = await exchange.fetchMarkets();
    expect(markets.map(({ id }) => id)).toEqual(
      marketsIn(model, 'active').map(({ ticker }) => ticker),
    );
    expect(new Set(markets.map(({ market }) => market)).size).toBe(markets.length);
    expect(markets.find(({ id }) => id === listing.ticker)).toMatchObject({
      active: true,
      resolved: false,
      precision: { price: 0.001 },
      outcomes: [
        { outcomeId: listing.ticker, label: 'YES' },
        { outcomeId: `${listing.ticker}-NO`, label: 'NO' },
      ],
    });
  });

  it('reads the book and the ticker from both sides', async () => {
    expect(await exchange.fetchOrderBook(listing.ticker)).toMatchObject({
      bids: [
        [0.95, 31],
        [0.94, 97],
      ],
      asks: [
        [0.96, 20],
        [0.97, 7],
      ],
    });
    expect(await exchange.fetchOrderBook(`${listing.ticker}-NO`)).toMatchObject({
      bids: [
        [0.04, 20],
        [0.03, 7],
      ],
      asks: [
        [0.05, 31],
        [0.06, 97],
      ],
    });
    const yes = { bid: 0.95, bidVolume: 31, ask: 0.96, askVolume: 20 };
    expect(await exchange.fetchTicker(listing.ticker)).toMatchObject(yes);
    expect(
      Object.values(await exchange.fetchTickers([listing.ticker, `${listing.ticker}-NO`])),
    ).toMatchObject([yes, { bid: 0.04, bidVolume: 20, ask: 0.05, askVolume: 31 }]);
  });

  it('reads the latest trades, and candles that add up to all of them', async () => {
    const nowMs = model.clock.nowMs();
    const traded = model.trades(listing, listing.openMs, nowMs + 1);
    expect(traded.length).toBeGreaterThan(5);
    expect(
      (await exchange.fetchTrades(listing.ticker, undefined, 5)).map(
        ({ id, timestamp, side, price, amount }) => [id, timestamp, side, price, amount],
      ),
    ).toEqual(
      traded
        .slice(-5)
        .map(({ tradeId, atMs, takerSide, yesTicks, count }) => [
          tradeId,
          atMs,
          takerSide === 'yes' ? 'buy' : 'sell',
          yesTicks / TICKS,
          count,
        ]),
    );
    const candles = await exchange.fetchOHLCV(listing.ticker, '1m', undefined, undefined, {
      start_ts: listing.openMs / 1_000,
      end_ts: nowMs / 1_000,
    });
    expect(
      candles.map(([atMs, open, , , close, contracts]) => [atMs, open, close, contracts]),
    ).toEqual(
      Array.from({ length: (nowMs - listing.openMs) / MINUTE_MS }, (_, minute) => {
        const atMs = listing.openMs + minute * MINUTE_MS;
        const then = model.trades(listing, atMs, atMs + MINUTE_MS);
        const [first, last] = [then[0], then.at(-1)];
        return [
          atMs,
          (first?.yesTicks ?? 0) / TICKS,
          (last?.yesTicks ?? 0) / TICKS,
          then.reduce((sum, { count }) => sum + count, 0),
        ];
      }),
    );
  });

  it('finds events by series, category and tag, and says who won ended ones', async () => {
    const series = async (params: Readonly<Record<string, unknown>>) => [
      ...new Set((await exchange.fetchEvents(params)).map(({ id }) => id.split('-')[0])),
    ];
    expect(await series({ series_ticker: 'KXBTC15M' })).toEqual(['KXBTC15M']);
    expect(await series({ category: 'Crypto' })).toEqual(['KXBTC15M', 'KXETH15M', 'KXSOL15M']);
    expect(await series({ tags: ['ETH', 'SOL'] })).toEqual(['KXETH15M', 'KXSOL15M']);
    const ended = await exchange.fetchEvents({ series_ticker: 'KXBTC15M', status: 'settled' });
    const markets = ended.flatMap((event) => event.markets);
    expect(markets.length).toBeGreaterThan(0);
    for (const { id, resolved, outcomes } of markets) {
      const decided = model.market(id);
      const won = decided === null ? null : model.state(decided).result;
      expect([resolved, outcomes.map(({ winner }) => winner)]).toEqual([
        true,
        [won === 'yes', won === 'no'],
      ]);
    }
  });

  it('finds events by words, the best match first, and none by words that nothing holds', async () => {
    const [first] = listing.ticker.split('-');
    const found = await exchange.fetchEvents({ query: 'bitcoin up 15 min', limit: 3 });
    expect(found[0]?.id.split('-')[0]).toBe(first);
    expect(found[0]?.markets.length).toBeGreaterThan(0);
    expect(await exchange.fetchEvents({ query: 'zeppelin' })).toEqual([]);
  });

  it('hears of maintenance, and that an event does not exist', async () => {
    expect((await exchange.fetchStatus()).status).toBe('ok');
    isClosed = true;
    expect((await exchange.fetchStatus()).status).toBe('maintenance');
    isClosed = false;
    await expect(exchange.fetchEvents({ eventId: 'NO-SUCH' })).rejects.toBeInstanceOf(BadSymbol);
  });
});
