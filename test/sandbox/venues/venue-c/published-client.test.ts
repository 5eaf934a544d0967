import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ccxtPools } from '../../../peers/ccxt.ts';
import {
  ApiTokenService,
  AuthenticationError,
  CancelReplaceMode,
  HttpClient,
  MarketFetcher,
  OrderClient,
  OrderType,
  PortfolioFetcher,
  Side,
  Wallet,
  WebSocketClient,
} from '../../../peers/pool-sdk.ts';
import { eventually } from '../../../support/eventually.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { startPoolWorld, type PoolUser, type PoolWorld } from './a-venue.ts';

/** The parts of the client that a bot uses, for one user. */
function publishedClient(baseURL: string, { tokenId, secret, key }: PoolUser) {
  const httpClient = new HttpClient({ baseURL, hmacCredentials: { tokenId, secret } });
  return {
    httpClient,
    markets: new MarketFetcher(httpClient),
    orders: new OrderClient({ httpClient, wallet: new Wallet(key) }),
    portfolio: new PortfolioFetcher(httpClient),
  };
}

describe('the venue under its own published client, unmodified', () => {
  let world: PoolWorld;
  let slug: string;
  beforeAll(async () => {
    world = await startPoolWorld();
    const question = world.open.exchange.markets().find(({ window }) => window === null);
    slug = question?.slug ?? '';
  });
  afterAll(() => world.close());

  const clientOf = (user: PoolUser) => publishedClient(world.open.urls.poolRest, user);
  const tokensOf = async (client: ReturnType<typeof clientOf>) => {
    const { tokens } = await client.markets.getMarket(slug);
    return { yes: tokens?.yes ?? '', no: tokens?.no ?? '' };
  };
  const clobOf = async (client: ReturnType<typeof clientOf>) =>
    eventually(async () => {
      const [entry] = await client.portfolio.getCLOBPositions();
      if (entry === undefined) throw new Error('no position yet');
      return entry;
    });

  it('lists markets of short windows and long ones, and shows their books in prices of YES', async () => {
    const client = clientOf(await world.user());
    const { data, totalMarketsCount } = await client.markets.getActiveMarkets({ limit: 25 });
    expect(data.length).toBe(totalMarketsCount);
    expect(new Set(data.map(({ tradeType, status }) => `${tradeType} ${status}`))).toEqual(
      new Set(['clob FUNDED', 'group FUNDED']),
    );
    const titles = data.map(({ title }) => title);
    expect(titles).toContain('BTC Up or Down - 5 Min');
    expect(titles).toContain('Will the film win the grand prize?');
    const book = await client.markets.getOrderBook(slug);
    expect(book.tokenId).toBe((await tokensOf(client)).yes);
    const [bid, ask] = [book.bids[0]?.price ?? 0, book.asks[0]?.price ?? 0];
    expect(Number(bid)).toBeGreaterThan(0);
    expect(Number(ask)).toBeGreaterThan(Number(bid));
  });

  it('shows a group with its markets, each traded at the exchange that it names', async () => {
    const client = clientOf(await world.user());
    const groups = await client.httpClient.get<{
      readonly data: readonly { readonly slug: string; readonly negRiskMarketId: string }[];
    }>('/markets/active?tradeType=group');
    const [listed] = groups.data;
    if (listed === undefined) throw new Error('no group is listed');
    expect(listed.negRiskMarketId).toMatch(/^0x[0-9a-f]{64}$/);
    const group = await client.markets.getMarket(listed.slug);
    expect(group).toMatchObject({ marketType: 'group', tradeType: 'group', status: 'FUNDED' });
    expect(group.markets?.map(({ title }) => title)).toEqual([
      'The Heron',
      'The Otter',
      'Another boat',
    ]);
    await expect(client.markets.getOrderBook(listed.slug)).rejects.toThrow(/group/);
    const child = await client.markets.getMarket(group.markets?.[0]?.slug ?? '');
    expect(child).toMatchObject({
      venue: { exchange: VENUE_C_CHAIN.groupExchange, adapter: VENUE_C_CHAIN.groupAdapter },
      negRiskRequestId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    const { order } = await client.orders.createOrder({
      tokenId: child.tokens?.yes ?? '',
      price: 0.011,
      size: 100,
      side: Side.BUY,
      orderType: OrderType.GTC,
      marketSlug: child.slug,
    });
    expect(world.open.exchange.order(order.id)?.status).toBe('LIVE');
    await client.orders.cancel(order.id);
  });

  it('rests an order by price, lists it, and cancels it', async () => {
    const client = clientOf(await world.user());
    const { yes } = await tokensOf(client);
    const resting = await client.orders.createOrder({
      tokenId: yes,
      price: 0.011,
      size: 100,
      side: Side.BUY,
      orderType: OrderType.GTC,
      marketSlug: slug,
    });
    expect(resting.order).toMatchObject({ makerAmount: 1_100_000, takerAmount: 100_000_000 });
    expect(resting.makerMatches ?? []).toEqual([]);
    const market = await client.markets.getMarket(slug);
    expect(await market.getUserOrders()).toMatchObject([
      {
        id: resting.order.id,
        status: 'LIVE',
        side: 'BUY',
        price: '0.011',
        remainingSize: '100000000',
      },
    ]);
    expect(await client.orders.cancel(resting.order.id)).toMatchObject({
      message: 'Order canceled successfully',
    });
    expect(await market.getUserOrders()).toEqual([]);
    await expect(client.orders.cancel(resting.order.id)).rejects.toThrow(/already canceled/);
  });

  it('replaces an order by another, and neither where there is nothing to cancel', async () => {
    const client = clientOf(await world.user());
    const { yes } = await tokensOf(client);
    const order = {
      tokenId: yes,
      size: 100,
      side: Side.BUY,
      orderType: OrderType.GTC,
      marketSlug: slug,
    } as const;
    const first = await client.orders.createOrder({ ...order, price: 0.011 });
    const replace = (orderId: string) =>
      client.orders.cancelReplace({
        cancel: { orderId },
        replacement: { ...order, price: 0.012 },
        mode: CancelReplaceMode.STOP_ON_FAILURE,
      });
    const replaced = await replace(first.order.id);
    expect(replaced).toMatchObject({
      cancel: { status: 'SUCCESS', orderId: first.order.id },
      replacement: { status: 'SUCCESS', data: { order: { price: 0.012 } } },
    });
    expect(await replace(first.order.id)).toMatchObject({
      cancel: { status: 'FAILURE', error: { code: 'ORDER_NOT_FOUND' } },
      replacement: { status: 'NOT_ATTEMPTED' },
    });
    const rows = await (await client.markets.getMarket(slug)).getUserOrders();
    expect(rows.map(({ price }) => Number(price))).toEqual([0.012]);
  });

  it('buys for money, waits until the trade is mined, and has the shares less the fee', async () => {
    const client = clientOf(await world.user('50'));
    const { yes } = await tokensOf(client);
    await client.markets.getOrderBook(slug);
    const bought = await client.orders.createOrder({
      tokenId: yes,
      makerAmount: 5,
      side: Side.BUY,
      orderType: OrderType.FOK,
      marketSlug: slug,
    });
    const { totalsRaw, settlementStatus, feeRateBps } = bought.execution ?? {};
    expect([settlementStatus, feeRateBps]).toEqual(['MATCHED', 300]);
    const gross = Number(totalsRaw?.contractsGross);
    const net = Number(totalsRaw?.contractsNet);
    // of the five dollars less than a lot is left
    expect(Number(totalsRaw?.usdGross)).toBeGreaterThan(4_990_000);
    expect(gross - net).toBe(Number(totalsRaw?.contractsFee));
    expect(net).toBeLessThan(gross);
    const entry = await clobOf(client);
    expect(entry.tokensBalance).toEqual({ yes: String(net), no: '0' });
    expect(Number(entry.positions.yes.cost)).toBe(Number(totalsRaw?.usdGross));
    const { data } = await client.portfolio.getUserHistory();
    expect(data).toMatchObject([{ strategy: 'Market Buy', outcomeIndex: 0 }]);
  });

  it('hears whole books and its own orders on the socket, and ends a subscription', async () => {
    const user = await world.user();
    const client = clientOf(user);
    const { yes } = await tokensOf(client);
    const socket = new WebSocketClient({
      url: world.open.urls.poolSocket,
      hmacCredentials: { tokenId: user.tokenId, secret: user.secret },
      autoReconnect: false,
    });
    const books: unknown[] = [];
    const events: Record<string, unknown>[] = [];
    socket.on('orderbookUpdate', (update) => books.push(update));
    socket.on('orderEvent', (event) => events.push({ ...event }));
    await socket.connect();
    await socket.subscribe('subscribe_market_prices', { marketSlugs: [slug] });
    await socket.subscribe('subscribe_order_events');
    await eventually(() => expect(books.length).toBeGreaterThan(0));
    const bought = await client.orders.createOrder({
      tokenId: yes,
      makerAmount: 5,
      side: Side.BUY,
      orderType: OrderType.FOK,
      marketSlug: slug,
    });
    await eventually(() =>
      expect(events.map(({ source, type }) => `${source} ${type}`)).toEqual([
        'OME EXECUTION',
        'SETTLEMENT MATCHED',
        'SETTLEMENT MINED',
      ]),
    );
    expect(events[0]).toMatchObject({
      eventId: `terminal:${bought.order.id}`,
      status: 'FILLED',
      remainingSize: 0,
    });
    expect(events[2]).toMatchObject({ takerOrderId: bought.order.id, marketSlug: slug });
    await socket.unsubscribe('subscribe_market_prices', { marketSlugs: [slug] });
    await socket.disconnect();
  });

  it('derives, lists and revokes tokens, and refuses a wrong secret on both wires', async () => {
    const user = await world.user('0');
    const { httpClient } = clientOf(user);
    const tokens = new ApiTokenService(httpClient);
    const second = await tokens.deriveToken(user.identityToken, {
      label: 'second',
      scopes: ['trading'],
    });
    expect((await tokens.listTokens()).map(({ tokenId }) => tokenId)).toEqual([
      user.tokenId,
      second.tokenId,
    ]);
    expect(await tokens.revokeToken(second.tokenId)).toBe('Token revoked successfully');
    const forged = { ...user, secret: Buffer.alloc(32).toString('base64') };
    await expect(clientOf(forged).portfolio.getPositions()).rejects.toBeInstanceOf(
      AuthenticationError,
    );
    const socket = new WebSocketClient({
      url: world.open.urls.poolSocket,
      hmacCredentials: { tokenId: user.tokenId, secret: forged.secret },
      autoReconnect: false,
    });
    await expect(socket.connect()).rejects.toThrow('Invalid HMAC signature');
  });
});

describe('two users of its published client', () => {
  it('meet a buy of NO with a buy of YES: a share of each is made, the taker pays the fee', async () => {
    const world = await startPoolWorld({ makers: false });
    const [maker, taker] = [await world.user('10'), await world.user('10')].map((user) =>
      publishedClient(world.open.urls.poolRest, user),
    );
    const market = world.open.exchange.markets().find(({ window }) => window === null);
    if (market === undefined || maker === undefined || taker === undefined)
      throw new Error('nothing is listed');
    const [yes, no] = market.tokens;
    const order = { size: 10, side: Side.BUY, marketSlug: market.slug } as const;
    const resting = await maker.orders.createOrder({
      ...order,
      tokenId: no,
      price: 0.6,
      orderType: OrderType.GTC,
    });
    expect(await maker.markets.getOrderBook(market.slug)).toMatchObject({
      bids: [],
      asks: [{ price: 0.4, size: 10_000_000, side: 'SELL' }],
    });
    const met = await taker.orders.createOrder({
      tokenId: yes,
      makerAmount: 4,
      side: Side.BUY,
      orderType: OrderType.FOK,
      marketSlug: market.slug,
    });
    expect(met.makerMatches).toMatchObject([
      { orderId: resting.order.id, matchedSize: '10000000' },
    ]);
    // 300 basis points × 3 × 0.4 × 0.6
    expect(met.execution).toMatchObject({
      effectiveFeeBps: 216,
      totalsRaw: { contractsGross: '10000000', contractsFee: '216000', usdGross: '4000000' },
    });
    const balances = await eventually(async () => {
      const [[mine], [theirs]] = [
        await maker.portfolio.getCLOBPositions(),
        await taker.portfolio.getCLOBPositions(),
      ];
      if (mine === undefined || theirs === undefined) throw new Error('not settled yet');
      return [mine.tokensBalance, theirs.tokensBalance];
    });
    expect(balances).toEqual([
      { yes: '0', no: '10000000' },
      { yes: '9784000', no: '0' },
    ]);
    await world.close();
  });
});

describe("the venue under ccxt's class of it", () => {
  let world: PoolWorld;
  beforeAll(async () => {
    world = await startPoolWorld();
  });
  afterAll(() => world.close());
  const classOf = ({ tokenId, secret, key, account }: PoolUser) =>
    ccxtPools(world.open.urls.poolRest, {
      apiKey: tokenId,
      secret,
      privateKey: key,
      walletAddress: account,
    });

  it('lists markets, those of groups among them, shows a book, rests an order and cancels it', async () => {
    const exchange = classOf(await world.user());
    const markets = await exchange.fetchMarkets();
    expect(markets.length).toBe(world.open.exchange.markets().length);
    const slug = world.open.exchange.markets().find(({ group }) => group !== null)?.group?.slug;
    const { title, markets: ofGroup } = await exchange.fetchEvent(slug ?? '');
    expect([title, ofGroup.length]).toEqual(['Who will win the regatta?', 3]);
    const [outcome] = markets.at(-1)?.outcomes ?? [];
    if (outcome === undefined) throw new Error('a market has no outcomes');
    const { bids, asks } = await exchange.fetchOrderBook(outcome.outcome);
    expect(bids[0]?.[0]).toBeLessThan(asks[0]?.[0] ?? 0);
    const { id } = await exchange.createOrder(outcome.outcome, 'limit', 'buy', 100, 0.01);
    expect(world.open.exchange.order(id)).toMatchObject({
      status: 'LIVE',
      price: 100,
      originalMicros: 100_000_000,
    });
    expect(await exchange.fetchOpenOrders(outcome.outcome)).toMatchObject([
      { id, price: 0.01, remaining: 100 },
    ]);
    await exchange.cancelOrder(id);
    expect(world.open.exchange.order(id)?.status).toBe('CANCELED');
  });

  it('shows what was bought as a position and as a trade', async () => {
    const exchange = classOf(await world.user('50'));
    await exchange.loadMarkets();
    const [outcome] = (await exchange.fetchMarkets()).at(-1)?.outcomes ?? [];
    if (outcome === undefined) throw new Error('a market has no outcomes');
    const { asks } = await exchange.fetchOrderBook(outcome.outcome);
    const [worst = 0] = asks.at(-1) ?? [];
    const { id } = await exchange.createOrder(outcome.outcome, 'limit', 'buy', 10, worst);
    const matched = world.open.exchange.order(id);
    await eventually(async () => {
      const positions = await exchange.fetchPositions([outcome.outcome]);
      expect(positions).toMatchObject([{ outcomeId: outcome.outcomeId }]);
      const [held] = positions;
      // ten shares less the fee, which is of them
      expect(held?.contracts).toBeGreaterThan(9.7);
      expect(held?.contracts).toBeLessThan(10);
      expect(held?.collateral).toBeCloseTo((matched?.matchedUsdc ?? 0) / 1e6, 5);
      expect(await exchange.fetchMyTrades(outcome.outcome)).toMatchObject([{ side: 'buy' }]);
    });
  });
});
