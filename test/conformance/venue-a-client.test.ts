import {
  OrderSide,
  createPublicClient,
  createSecureClient,
  forkEnvironmentConfig,
  privateKey,
} from '../peers/client.ts';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DOWN,
  MARKET,
  startFixture,
  TEST_ADDRESS,
  TEST_KEY,
  UP,
  type Fixture,
} from './venue-a-fixture.ts';

type Secure = Awaited<ReturnType<typeof createSecureClient>>;

let fixture: Fixture;
let client: Secure;
const realWebSocket = globalThis.WebSocket;

/**
 * Everything the client might ask is on loopback; what this test has no server for points at a
 * closed port.
 */
function environmentOf({ rest, sockets, data }: Fixture) {
  const nowhere = 'http://127.0.0.1:9';
  return forkEnvironmentConfig({
    name: 'sandbox',
    clob: { rest, market: { ws: sockets.marketUrl }, user: { ws: sockets.userUrl } },
    data: { rest: data },
    gamma: { rest: nowhere },
    relayer: { rest: nowhere },
    rtds: { ws: 'ws://127.0.0.1:9' },
    rpc: nowhere,
  });
}

/** The next `count` events; leaving a loop early would end the subscription. */
async function take<Event>(events: AsyncIterable<Event>, count: number): Promise<Event[]> {
  const iterator = events[Symbol.asyncIterator]();
  const taken: Event[] = [];
  while (taken.length < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

beforeEach(async () => {
  // The client needs a global WebSocket, which this Node version does not have.
  Object.assign(globalThis, { WebSocket });
  fixture = await startFixture();
  await fetch(`${fixture.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
  });
  client = await createSecureClient({
    environment: environmentOf(fixture),
    signer: privateKey(TEST_KEY),
    wallet: TEST_ADDRESS,
  });
});

afterEach(async () => {
  await fixture.close();
  Object.assign(globalThis, { WebSocket: realWebSocket });
});

describe('@polymarket/client 0.2.0 against the sandbox', () => {
  it('rests, shows and cancels a limit order', async () => {
    const placed = await client.placeLimitOrder({
      tokenId: UP,
      price: 0.47,
      size: 10,
      side: OrderSide.BUY,
    });
    expect(placed).toMatchObject({ ok: true, status: 'live' });
    const open = await take(client.listOpenOrders(), 1);
    expect(open[0]?.items).toMatchObject([
      { tokenId: UP, price: '0.47', originalSize: '10', status: 'LIVE' },
    ]);
    expect(await client.cancelAll()).toMatchObject({ canceled: [expect.stringMatching(/^0x/)] });
  });

  it('buys and sells at the market and waits for the transactions', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
    fixture.quote({ tokenId: UP, side: 'buy', price: 4700, shares: 30 });
    const bought = await client.placeMarketOrder({ tokenId: UP, side: OrderSide.BUY, amount: 10 });
    expect(bought).toMatchObject({
      ok: true,
      status: 'matched',
      makingAmount: '9.999978',
      takingAmount: '19.6078',
    });
    if (!bought.ok) throw new Error('not taken');
    expect(await client.waitForOrderFillSettlement(bought)).toEqual([
      expect.stringMatching(/^0x[0-9a-f]{64}$/),
    ]);
    const sold = await client.placeMarketOrder({ tokenId: UP, side: OrderSide.SELL, shares: 10 });
    expect(sold).toMatchObject({
      ok: true,
      status: 'matched',
      makingAmount: '10',
      takingAmount: '4.7',
    });
    const pages = await take(client.listAccountTrades(), 1);
    expect(pages[0]?.items).toHaveLength(2);
  });

  it("gets the refusals in the venue's words", async () => {
    await expect(
      client.placeMarketOrder({ tokenId: UP, side: OrderSide.BUY, amount: 10, maxPrice: 0.5 }),
    ).rejects.toThrow('no orders found to match with FAK order.');
    const [answer] = await client.postOrders([
      await client.createLimitOrder({ tokenId: UP, price: 0.5, size: 4_000, side: OrderSide.BUY }),
    ]);
    expect(answer).toMatchObject({ ok: false, code: 'insufficient_balance_or_allowance' });
  });

  it('reads books through the public client', async () => {
    fixture.quote({ tokenId: UP, side: 'buy', price: 4700, shares: 30 });
    const reader = createPublicClient({ environment: environmentOf(fixture) });
    expect(await reader.fetchOrderBook({ tokenId: DOWN })).toMatchObject({
      bids: [],
      asks: [{ price: '0.53', size: '30' }],
    });
    expect(await reader.fetchMidpoint({ tokenId: UP })).toBe('0.47');
  });

  it('follows a market: snapshot, changes with their mirror, trades, best prices, resolution', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
    const events = await client.subscribe([
      { topic: 'market', tokenIds: [UP], customFeatureEnabled: true },
    ]);
    const [snapshot] = await take(events, 1);
    expect(snapshot).toMatchObject({
      type: 'book',
      payload: { tokenId: UP, asks: [{ price: '0.51', size: '30' }] },
    });
    fixture.quote({ tokenId: UP, side: 'buy', price: 4700, shares: 20 });
    const [change, best] = await take(events, 2);
    expect(change).toMatchObject({
      type: 'price_change',
      payload: {
        priceChanges: [
          { tokenId: UP, price: '0.47', size: '20', side: 'BUY', bestBid: '0.47', bestAsk: '0.51' },
          {
            tokenId: DOWN,
            price: '0.53',
            size: '20',
            side: 'SELL',
            bestBid: '0.49',
            bestAsk: '0.53',
          },
        ],
      },
    });
    expect(best).toMatchObject({
      type: 'best_bid_ask',
      payload: { tokenId: UP, bestBid: '0.47', bestAsk: '0.51', spread: '0.04' },
    });
    await client.placeMarketOrder({ tokenId: UP, side: OrderSide.BUY, amount: 5.1 });
    const traded = await take(events, 4);
    expect(traded.map(({ type }) => type)).toEqual([
      'price_change',
      'last_trade_price',
      'book',
      'best_bid_ask',
    ]);
    expect(traded[1]).toMatchObject({
      payload: { tokenId: UP, price: '0.51', side: 'BUY', size: '10' },
    });
    fixture.exchange.resolve(MARKET, [10_000, 0]);
    const last = await take(events, 3);
    expect(last.map(({ type }) => type)).toContain('market_resolved');
  });

  it('hears that the tick has become finer once the price is near its end', async () => {
    fixture.quote({ tokenId: UP, side: 'buy', price: 9500, shares: 10 });
    const events = await client.subscribe([
      { topic: 'market', tokenIds: [UP], customFeatureEnabled: true },
    ]);
    await take(events, 1);
    fixture.quote({ tokenId: UP, side: 'buy', price: 9700, shares: 10 });
    const heard = await take(events, 3);
    expect(heard.find(({ type }) => type === 'tick_size_change')).toMatchObject({
      payload: { tokenId: UP, oldTickSize: '0.01', newTickSize: '0.001' },
    });
  });

  it('follows its own orders and trades to their end', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
    const events = await client.subscribe([{ topic: 'user' }]);
    await client.placeLimitOrder({ tokenId: UP, price: 0.51, size: 10, side: OrderSide.BUY });
    const seen = await take(events, 5);
    expect(seen.map(({ type, payload }) => [type, payload.status])).toEqual([
      ['order', 'LIVE'],
      ['trade', 'TRADE_STATUS_MATCHED'],
      ['order', 'MATCHED'],
      ['trade', 'TRADE_STATUS_MINED'],
      ['trade', 'TRADE_STATUS_CONFIRMED'],
    ]);
    expect(seen[1]).toMatchObject({
      payload: {
        traderSide: 'TAKER',
        makerOrders: [{ matchedAmount: '10', price: '0.51', side: 'SELL' }],
      },
    });
  });

  it('reads positions, activity and trades from the Data API once they are mined', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5000, shares: 30 });
    const bought = await client.placeMarketOrder({ tokenId: UP, side: OrderSide.BUY, amount: 10 });
    if (!bought.ok) throw new Error('not taken');
    await client.waitForOrderFillSettlement(bought);
    const [positions] = await take(client.listPositions(), 1);
    expect(positions?.items).toMatchObject([
      { tokenId: UP, size: '20', avgPrice: '0.5', redeemable: false },
    ]);
    const [activity] = await take(client.listActivity(), 1);
    expect(activity?.items.map(({ type }) => type)).toEqual(['TRADE']);
    const [trades] = await take(client.listTrades({ market: [MARKET] }), 1);
    expect(trades?.items).toHaveLength(1);
    fixture.exchange.resolve(MARKET, [10_000, 0]);
    const [closed] = await take(client.listClosedPositions(), 1);
    expect(closed?.items).toMatchObject([{ tokenId: UP, realizedPnl: '10' }]);
  });
});
