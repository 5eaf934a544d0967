import { describe, expect, it } from 'vitest';
import { answerCall } from '../../../../src/sandbox/wire/http-server.ts';
import { createRails } from '../../../../src/sandbox/venues/venue-b/chain/rails.ts';
import { routerKey } from '../../../../src/sandbox/venues/venue-b/chain/settlement.ts';
import { gateReply } from '../../../../src/sandbox/venues/venue-b/wire/gate.ts';
import { createMetadataChannel } from '../../../../src/sandbox/venues/venue-b/wire/metadata-socket.ts';
import { metadataRoutes } from '../../../../src/sandbox/venues/venue-b/wire/metadata.ts';
import { aModel, marketsIn, NOON_MS } from './a-model.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** Answers as they come, whose shapes the tests check field by field. */
// biome-ignore lint: shapes of the wire
type Wire = any; // oxlint-disable-line typescript/no-explicit-any

function opened(faults: readonly string[] = []) {
  const world = aModel({ faults });
  const rails = createRails(world.model, routerKey(7).address);
  const routes = metadataRoutes({
    model: world.model,
    rails,
    isInitialized: ({ isInitialized }) => isInitialized,
  });
  const ask = (method: string, target: string, body = ''): { status: number; body: Wire } => {
    const url = new URL(target, 'http://venue');
    const reply = answerCall(routes, {
      method,
      target,
      path: `/api/v1${url.pathname}`,
      query: url.searchParams,
      header: () => '',
      body,
    });
    if (reply.kind !== 'json') throw new Error(reply.kind);
    return { status: reply.status, body: JSON.parse(JSON.stringify(reply.body)) };
  };
  const [listing] = marketsIn(world.model, 'active');
  if (listing === undefined) throw new Error('nothing is listed');
  return { ...world, rails, ask, get: (target: string) => ask('GET', target), listing };
}

describe('the metadata of the contract venue', () => {
  it('pages through markets by rows read, at most 255 at a time', () => {
    const { get, model } = opened();
    const seen: string[] = [];
    for (let cursor = 0, rows = 255; rows === 255; ) {
      const { markets, cursor: next } = get(`/markets?limit=255&cursor=${cursor}`).body;
      rows = markets.length;
      seen.push(...markets.map(({ ticker }: Wire) => ticker));
      cursor = next;
    }
    expect(seen).toEqual(
      model.events().flatMap(({ markets }) => markets.map(({ ticker }) => ticker)),
    );
    const refused = get('/markets?limit=256');
    expect([refused.status, refused.body.msg]).toEqual([
      400,
      expect.stringContaining('number too large to fit in target type'),
    ]);
  });

  it('shows a market in camel case, its prices as its book has them, settled in two currencies', () => {
    const { get, listing, rails } = opened();
    const market = get(`/market/${listing.ticker}`).body;
    const book = get(`/orderbook/${listing.ticker}`).body;
    const best = Object.keys(book.yes_bids).at(-1) ?? null;
    expect(market).toMatchObject({
      ticker: listing.ticker,
      marketType: 'binary',
      status: 'active',
      result: '',
      yesBid: best,
      closeTime: listing.closeMs / 1_000,
    });
    expect(Object.keys(market.accounts)).toHaveLength(2);
    expect(market.accounts[USDC]).toEqual({
      marketLedger: rails.of(listing).ledger.address,
      yesMint: rails.of(listing).mints.yes.address,
      noMint: rails.of(listing).mints.no.address,
      isInitialized: true,
      redemptionStatus: null,
    });
    expect(book.sequence).toBeGreaterThan(0);
  });

  it('finds markets by the mints of their outcomes, drops what it does not know, and refuses too many', () => {
    const { ask, get, listing, rails } = opened();
    const { yes, no } = rails.of(listing).mints;
    expect(get(`/market/by-mint/${no.address}`).body.ticker).toBe(listing.ticker);
    const batch = ask(
      'POST',
      '/markets/batch',
      JSON.stringify({ tickers: ['NO-SUCH'], mints: [yes.address, no.address, USDC] }),
    );
    expect(batch.body.markets.map(({ ticker }: Wire) => ticker)).toEqual([listing.ticker]);
    expect(
      ask('POST', '/filter_outcome_mints', JSON.stringify({ addresses: [USDC, yes.address] })).body,
    ).toEqual({ outcomeMints: [yes.address] });
    const many = Array.from({ length: 101 }, (_, index) => `T${index}`);
    expect(ask('POST', '/markets/batch', JSON.stringify({ tickers: many })).status).toBe(400);
    expect(get('/orderbook/NO-SUCH')).toEqual({
      status: 404,
      body: { code: 'not_found', msg: 'market not found' },
    });
  });

  it('lists events with their markets by series and status, and some of them with an underflown figure', () => {
    const { get } = opened();
    const { events } = get(
      '/events?seriesTickers=KXTEMPNYCH&withNestedMarkets=true&status=active',
    ).body;
    expect(events.map(({ markets }: Wire) => markets.length)).toEqual([5, 5, 5, 5]);
    expect(
      get('/events?limit=200').body.events.some(({ liquidity }: Wire) => liquidity > 2 ** 63),
    ).toBe(true);
    expect(get('/search?q=comet').body.events.length).toBeGreaterThan(0);
    expect(get('/tags_by_categories').body.tagsByCategories.Crypto).toContain('BTC');
    expect(get('/series?category=Sports').body.series.map(({ ticker }: Wire) => ticker)).toEqual([
      'KXRIVERGAME',
    ]);
  });

  it('gives trades newest first by cursor, and candles whose empty periods have no price', () => {
    const { get, model } = opened();
    const ticker = 'KXBTC15M-26NOV251215-15';
    const first = get(`/trades?ticker=${ticker}&limit=10`).body;
    const second = get(`/trades?ticker=${ticker}&limit=10&cursor=${first.cursor}`).body;
    const times = [...first.trades, ...second.trades].map(({ createdTime }: Wire) => createdTime);
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(
      new Set([...first.trades, ...second.trades].map(({ tradeId }: Wire) => tradeId)).size,
    ).toBe(20);
    const listing = model.market('KXHIGHNY-26NOV26-T44') ?? model.events()[0]?.markets[0];
    const now = NOON_MS / 1_000;
    const candles = get(
      `/market/${listing?.ticker}/candlesticks?startTs=${now - 3_600}&endTs=${now}&periodInterval=1`,
    ).body.candlesticks;
    const empty = candles.find(({ volume }: Wire) => volume === 0);
    expect(empty.price).toMatchObject({ open: null, close: null, mean: null });
    expect(empty.price).not.toHaveProperty('close_dollars');
    expect(
      get(`/market/${listing?.ticker}/candlesticks?startTs=0&endTs=${now}&periodInterval=1`).status,
    ).toBe(400);
  });

  it('is refused by an overloaded gateway, by name', () => {
    const { shared } = opened(['rate-limited:1', 'service-unavailable:1']);
    const request = { method: 'GET', path: '/api/v1/events' };
    expect([1, 2, 3].map(() => gateReply(shared.faults, request))).toEqual([
      expect.objectContaining({ status: 429 }),
      expect.objectContaining({
        status: 503,
        body: expect.objectContaining({ code: 'amm_map_lagging' }),
      }),
      null,
    ]);
  });
});

describe('the socket of the contract venue', () => {
  const attend = (faults: readonly string[] = []) => {
    const world = opened(faults);
    const frames: Wire[] = [];
    const peer = createMetadataChannel(
      world.model,
      world.shared.faults,
    )({
      send: (text) => frames.push(JSON.parse(String(text))),
      close: () => undefined,
      cut: () => frames.push('cut'),
    });
    return {
      ...world,
      frames,
      peer,
      say: (message: unknown) => peer.frame(JSON.stringify(message)),
    };
  };

  it('acknowledges nothing, and sends whole books of the markets followed when they change', () => {
    const { say, frames, model, listing, peer } = attend();
    say({ type: 'subscribe', channel: 'orderbook', tickers: [listing.ticker] });
    expect(frames).toEqual([]);
    model.script(listing, { book: { yes: { 9_500: 120 }, no: { 400: 60 } } });
    expect(frames).toEqual([
      {
        channel: 'orderbook',
        type: 'orderbook',
        market_ticker: listing.ticker,
        yes_bids: { '0.9500': 120 },
        no_bids: { '0.0400': 60 },
      },
    ]);
    say({ type: 'unsubscribe', channel: 'orderbook', tickers: [listing.ticker] });
    model.script(listing, { book: { yes: {}, no: {} } });
    expect(frames).toHaveLength(1);
    peer.gone();
  });

  it('tells of prices and trades of all markets, in their own words, null where there is no quote', async () => {
    const { say, frames, model, listing, clock, peer } = attend();
    say({ type: 'subscribe', channel: 'prices', all: true });
    say({ type: 'subscribe', channel: 'trades', all: true });
    model.script(listing, { book: { yes: { 9_500: 120 }, no: {} } });
    expect(frames.at(-1)).toEqual({
      channel: 'prices',
      type: 'ticker',
      market_ticker: listing.ticker,
      yes_bid: '0.9500',
      yes_ask: null,
      no_bid: null,
      no_ask: '0.0500',
    });
    await clock.advance(30_000);
    const trades = frames.filter(({ channel }) => channel === 'trades');
    expect(trades.length).toBeGreaterThan(3);
    expect(trades[0]).toMatchObject({
      type: 'trade',
      taker_side: expect.stringMatching(/^(yes|no)$/),
      created_time: expect.any(Number),
    });
    peer.gone();
    expect(clock.pending).toBe(0);
  });

  it('sends a frame twice, by name', () => {
    const { say, frames, model, listing } = attend(['doubled-frames:1']);
    say({ type: 'subscribe', channel: 'orderbook', tickers: [listing.ticker] });
    model.script(listing, { book: { yes: { 100: 1 }, no: {} } });
    expect(frames).toHaveLength(2);
  });
});
