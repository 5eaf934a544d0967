import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { serveHttp, type Listening } from '../../src/sandbox/wire/http-server.ts';
import type { Listing } from '../../src/sandbox/venues/venue-b/model/listing.ts';
import type { MarketModel } from '../../src/sandbox/venues/venue-b/model/market-model.ts';
import { createExchangeKeys } from '../../src/sandbox/venues/venue-b/wire/exchange-auth.ts';
import { exchangeRoutes } from '../../src/sandbox/venues/venue-b/wire/exchange.ts';
import {
  Configuration,
  EventsApi,
  ExchangeApi,
  MarketApi,
  ownTransport,
} from '../peers/exchange-client.ts';
import { aModel, marketsIn } from '../sandbox/venues/venue-b/a-model.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const stranger = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('kalshi-typescript 3.30.0 against the exchange behind the sandbox’s venue_b', () => {
  let server: Listening;
  let model: MarketModel;
  let listing: Listing;
  let keyId: string;

  const configured = (privateKeyPem: string) =>
    new Configuration({ apiKey: keyId, privateKeyPem, basePath: `${server.url}/trade-api/v2` });
  const markets = (privateKeyPem = privateKey) =>
    new MarketApi(configured(privateKeyPem), undefined, ownTransport());

  beforeAll(async () => {
    const wall = createWallClock();
    model = aModel({ atMs: wall.nowMs() }).model;
    const keys = createExchangeKeys([{ nowMs: () => wall.nowMs(), toMarketMs: (atMs) => atMs }]);
    server = await serveHttp({
      clock: wall,
      routes: exchangeRoutes(model, { keys, isClosed: () => false }),
    });
    const registered = await fetch(`${server.url}/sandbox/api-keys`, {
      method: 'POST',
      body: JSON.stringify({ publicKey }),
    });
    ({ keyId } = (await registered.json()) as { keyId: string }); // the sandbox's own words
    const quick = marketsIn(model, 'active').find(
      ({ seriesTicker }) => seriesTicker === 'KXBTC15M',
    );
    if (quick === undefined) throw new Error('nothing is listed');
    listing = quick;
  });
  afterAll(() => server.close());

  it('reads the book that the router sells from, the best bid last', async () => {
    model.script(listing, { book: { yes: { 9_500: 31, 9_400: 97 }, no: { 400: 20 } } });
    const { data } = await markets().getMarketOrderbook(listing.ticker);
    expect(data.orderbook_fp).toEqual({
      yes_dollars: [
        ['0.9400', '97.00'],
        ['0.9500', '31.00'],
      ],
      no_dollars: [['0.0400', '20.00']],
    });
    const { market } = (await markets().getMarket(listing.ticker)).data;
    expect(market).toMatchObject({
      status: 'active',
      yes_bid_dollars: '0.9500',
      yes_bid_size_fp: '31.00',
      yes_ask_dollars: '0.9600',
      no_ask_dollars: '0.0500',
      price_level_structure: 'tapered_deci_cent',
    });
    expect(market.price_ranges.map(({ step }) => step)).toEqual(['0.0010', '0.0100', '0.0010']);
  });

  it('pages through all markets, and asks for open ones by the term of requests', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await markets().getMarkets(200, cursor);
      seen.push(...data.markets.map(({ ticker }) => ticker));
      cursor = data.cursor;
    } while (cursor !== '');
    expect(seen).toEqual(
      model.events().flatMap(({ markets: own }) => own.map(({ ticker }) => ticker)),
    );
    const open = await markets().getMarkets(
      1_000,
      undefined,
      undefined,
      'KXBTC15M',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      'open',
    );
    expect(open.data.markets.map(({ ticker, status }) => [ticker, status])).toEqual([
      [listing.ticker, 'active'],
    ]);
  });

  it('reads series, events, trades, candles and the state of the exchange', async () => {
    const nowTs = Math.floor(model.clock.nowMs() / 1_000);
    const { series } = (await markets().getSeries('KXBTC15M')).data;
    expect(series).toMatchObject({ category: 'Crypto', fee_type: 'quadratic', fee_multiplier: 1 });
    const { event, markets: own } = (
      await new EventsApi(configured(privateKey), undefined, ownTransport()).getEvent(
        listing.eventTicker,
      )
    ).data;
    expect([event.series_ticker, own?.map(({ ticker }) => ticker)]).toEqual([
      'KXBTC15M',
      [listing.ticker],
    ]);
    const { trades } = (await markets().getTrades(5, undefined, listing.ticker)).data;
    for (const { yes_price_dollars: yes, no_price_dollars: no } of trades)
      expect(Number(yes) + Number(no)).toBeCloseTo(1, 9);
    const { candlesticks } = (
      await markets().getMarketCandlesticks('KXBTC15M', listing.ticker, nowTs - 900, nowTs, 1)
    ).data;
    expect(candlesticks.length).toBe(
      Math.floor(model.clock.nowMs() / 60_000) - Math.floor(listing.openMs / 60_000),
    );
    expect(
      (await new ExchangeApi(configured(privateKey), undefined, ownTransport()).getExchangeStatus())
        .data,
    ).toMatchObject({
      exchange_active: true,
    });
  });

  it('is turned away with a signature of another key, and for what does not exist', async () => {
    const statusOf = async (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => 200,
        (cause: { response?: { status: number } }) => cause.response?.status,
      );
    expect(await statusOf(markets(stranger.privateKey).getMarket(listing.ticker))).toBe(401);
    expect(await statusOf(markets().getMarket('NO-SUCH'))).toBe(404);
    expect(await statusOf(markets().getMarket(listing.ticker))).toBe(200);
  });
});
