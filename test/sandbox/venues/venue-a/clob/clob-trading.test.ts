import {
  ClobClient,
  OrderType,
  Side,
  type ApiKeyCreds,
  type SignedOrder,
  orderToJsonV2,
} from '../../../../peers/clob-client-v2.ts';
import { peerSigner } from '../../../../peers/signer.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountHeaders } from '../../../../../src/venues/venue-a/auth.ts';
import { asId, type OrderId } from '../../../../../src/domain/ids.ts';
import { priceTicks } from '../../../../../src/domain/units.ts';
import { HELD_MS } from '../../../../support/clocks/held-clock.ts';
import {
  DOWN,
  MARKET,
  OTHER_ADDRESS,
  OTHER_KEY,
  startFixture,
  TEST_ADDRESS,
  TEST_KEY,
  UP,
  type Fixture,
} from '../../../../conformance/venue-a-fixture.ts';

let fixture: Fixture;
let creds: ApiKeyCreds;
let client: ClobClient;
let other: ClobClient;

async function join(
  key: `0x${string}`,
  address: string,
): Promise<{ readonly client: ClobClient; readonly creds: ApiKeyCreds }> {
  await fetch(`${fixture.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address, usdc: '1000' }),
  });
  const signer = peerSigner(key);
  const own = await new ClobClient({
    host: fixture.rest,
    chain: 137,
    signer,
  }).createOrDeriveApiKey();
  return {
    creds: own,
    client: new ClobClient({ host: fixture.rest, chain: 137, signer, creds: own }),
  };
}

/** A private call signed for `creds`, its body taken as it is. */
async function send(method: 'GET' | 'POST' | 'DELETE', path: string, body = '', query = '') {
  const timestampS = Math.floor(fixture.exchange.clock.nowMs() / 1_000);
  const headers = accountHeaders(TEST_ADDRESS, creds, { method, path, body, timestampS });
  const response = await fetch(`${fixture.rest}${path}${query}`, {
    method,
    headers,
    ...(body === '' ? {} : { body }),
  });
  return { status: response.status, body: await response.json() };
}

const bodyOf = (
  order: SignedOrder,
  changes: Record<string, unknown> = {},
  orderChanges: Record<string, unknown> = {},
) => {
  const body = orderToJsonV2(
    order as Parameters<typeof orderToJsonV2>[0],
    creds.key,
    OrderType.GTC,
    false,
    false,
  ); // The venue speaks version 2, so the client made a V2 order.
  return JSON.stringify({ ...body, ...changes, order: { ...body.order, ...orderChanges } });
};

beforeEach(async () => {
  fixture = await startFixture();
  ({ client, creds } = await join(TEST_KEY, TEST_ADDRESS));
  ({ client: other } = await join(OTHER_KEY, OTHER_ADDRESS));
});

afterEach(() => fixture.close());

describe('POST /order', () => {
  it("takes an honest order and refuses every forgery of it in the venue's words", async () => {
    const order = await client.createOrder({ tokenID: UP, price: 0.47, size: 10, side: Side.BUY });
    const refusals: readonly (readonly [
      Record<string, unknown>,
      Record<string, unknown>,
      number,
      string,
    ])[] = [
      [{ owner: 'someone-else' }, {}, 400, 'the order owner has to be the owner of the API KEY'],
      [
        {},
        { signer: OTHER_ADDRESS },
        400,
        'the order signer address has to be the address of the API KEY',
      ],
      [
        {},
        { maker: OTHER_ADDRESS },
        400,
        'maker address not allowed, please use the deposit wallet flow',
      ],
      [{}, { takerAmount: '20000000' }, 400, 'invalid signature'],
      [{}, { salt: 1 }, 400, 'invalid signature'],
      [{}, { side: 'SELL' }, 400, 'invalid signature'],
      [{}, { tokenId: '5' }, 404, 'No orderbook exists for the requested token id'],
      [{}, { tokenId: DOWN }, 400, 'invalid signature'],
      [{}, { makerAmount: '-1' }, 400, 'Invalid order payload'],
      [{}, { makerAmount: '99999999999999999999' }, 400, 'Invalid order payload'],
      [{ orderType: 'GTX' }, {}, 400, 'Invalid order payload'],
      [{}, { timestamp: undefined, nonce: '0' }, 400, 'order_version_mismatch'],
    ];
    for (const [changes, orderChanges, status, error] of refusals) {
      expect(await send('POST', '/order', bodyOf(order, changes, orderChanges))).toEqual({
        status,
        body: { error },
      });
    }
    expect(await send('POST', '/order', '{"order"')).toEqual({
      status: 400,
      body: { error: 'Invalid order payload' },
    });
    expect(await send('POST', '/order', bodyOf(order))).toMatchObject({
      status: 200,
      body: { success: true, status: 'live' },
    });
  });

  it('takes an expiry only with GTD', async () => {
    const expiration = Math.floor(fixture.exchange.clock.nowMs() / 1_000) + 600;
    const order = await client.createOrder({
      tokenID: UP,
      price: 0.47,
      size: 10,
      side: Side.BUY,
      expiration,
    });
    expect(await client.postOrder(order, OrderType.GTC)).toMatchObject({
      error: 'invalid expiration',
    });
    const placed = await client.postOrder(order, OrderType.GTD);
    expect(await client.getOrder(placed.orderID)).toMatchObject({
      order_type: 'GTD',
      expiration: String(expiration),
    });
  });

  it('refuses more than fifteen orders at once, and a body that is too large', async () => {
    expect(
      await send('POST', '/orders', JSON.stringify(Array.from({ length: 16 }, () => ({})))),
    ).toEqual({
      status: 400,
      body: { error: 'Too many orders in payload: 16, max allowed: 15' },
    });
    expect((await send('POST', '/order', JSON.stringify('x'.repeat(300_000)))).status).toBe(413);
  });
});

describe('orders and trades of several users', () => {
  it("shows each user only their own orders, and lets no user cancel another's", async () => {
    const mine = await client.createAndPostOrder({
      tokenID: UP,
      price: 0.47,
      size: 10,
      side: Side.BUY,
    });
    expect(await other.getOpenOrders()).toEqual([]);
    expect(await other.getOrder(mine.orderID)).toMatchObject({ status: 404 });
    expect(await other.cancelOrder({ orderID: mine.orderID })).toMatchObject({ canceled: [] });
    expect(await client.getOpenOrders()).toHaveLength(1);
  });

  it('tells maker and taker of one trade from their own sides, with every leg exact', async () => {
    await client.createAndPostOrder({ tokenID: DOWN, price: 0.4, size: 10, side: Side.BUY });
    fixture.quote({ tokenId: UP, side: 'sell', price: 6_100, shares: 30 });
    await other.createAndPostMarketOrder(
      { tokenID: UP, amount: 12.1, price: 0.65, side: Side.BUY },
      undefined,
      OrderType.FAK,
    );
    const [asTaker] = await other.getTrades();
    const [asMaker] = await client.getTrades();
    expect(asTaker).toMatchObject({
      trader_side: 'TAKER',
      size: '20',
      price: '0.605',
      maker_orders: [
        { asset_id: DOWN, side: 'BUY', price: '0.4', matched_amount: '10', owner: creds.key },
        { asset_id: UP, side: 'SELL', price: '0.61', matched_amount: '10' },
      ],
    });
    // Settlement goes on between the two questions.
    const { status, last_update, transaction_hash } = asMaker ?? {};
    expect(asMaker).toEqual({
      ...asTaker,
      status,
      last_update,
      transaction_hash,
      trader_side: 'MAKER',
      owner: creds.key,
      maker_address: TEST_ADDRESS,
    });
  });

  it('filters trades by id, market, token, address and time', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5_000, shares: 30 });
    const filled = await client.createAndPostMarketOrder(
      { tokenID: UP, amount: 5, price: 0.5, side: Side.BUY },
      undefined,
      OrderType.FAK,
    );
    const nowS = Math.floor(fixture.exchange.clock.nowMs() / 1_000);
    const count = async (query: string) => (await send('GET', '/data/trades', '', query)).body;
    for (const query of [
      `?id=${filled.tradeIDs?.[0]}`,
      `?market=${MARKET}`,
      `?asset_id=${UP}`,
      `?maker_address=${TEST_ADDRESS.toLowerCase()}`,
      `?after=${nowS - 60}`,
      `?before=${nowS + 60}`,
    ]) {
      expect(await count(query)).toMatchObject({ count: 1, limit: 500, next_cursor: 'LTE=' });
    }
    for (const query of [
      '?id=x',
      '?market=x',
      `?asset_id=${DOWN}`,
      `?maker_address=${OTHER_ADDRESS}`,
      `?after=${nowS + 60}`,
      `?before=${nowS - 60}`,
    ]) {
      expect(await count(query)).toMatchObject({ count: 0, data: [], next_cursor: 'LTE=' });
    }
    expect(await send('GET', '/data/trades', '', '?after=yesterday')).toEqual({
      status: 400,
      body: { error: 'Invalid trade params payload' },
    });
  });

  it('serves open orders in pages', async () => {
    for (let count = 0; count < 101; count += 1)
      fixture.exchange.place({
        orderId: asId<OrderId>(`0x${String(count).padStart(64, '0')}`),
        maker: TEST_ADDRESS,
        owner: creds.key,
        tokenId: UP,
        side: 'buy',
        timeInForce: 'GTC',
        price: priceTicks(100),
        makerMicros: 50_000,
        takerMicros: 5_000_000,
        expiresAtMs: null,
        postOnly: false,
      });
    const first = (await send('GET', '/data/orders')).body;
    expect(first).toMatchObject({ limit: 100, count: 100, next_cursor: 'MTAw' });
    expect((await send('GET', '/data/orders', '', '?next_cursor=MTAw')).body).toMatchObject({
      count: 1,
      next_cursor: 'LTE=',
    });
    expect(await client.getOpenOrders()).toHaveLength(101);
    expect((await client.cancelAll()).canceled).toHaveLength(101);
  });
});

describe('markets over their life', () => {
  it('holds marketable orders back where the market says so', async () => {
    await fixture.close();
    fixture = await startFixture({ takerDelayMs: HELD_MS });
    ({ client, creds } = await join(TEST_KEY, TEST_ADDRESS));
    fixture.quote({ tokenId: UP, side: 'sell', price: 5_000, shares: 30 });
    expect(await client.getClobMarketInfo(MARKET)).toMatchObject({
      itode: true,
      fd: { r: 0.07, e: 1, to: true },
    });
    const matched = new Promise<void>((resolve) => {
      fixture.exchange.subscribe((event) => {
        if (event.kind === 'order' && event.status === 'MATCHED' && event.owner === creds.key)
          resolve();
      });
    });
    const held = await client.createAndPostMarketOrder(
      { tokenID: UP, amount: 5, price: 0.5, side: Side.BUY },
      undefined,
      OrderType.FOK,
    );
    expect(held).toMatchObject({ success: true, status: 'delayed', makingAmount: '' });
    expect(await client.cancelOrder({ orderID: held.orderID })).toMatchObject({
      not_canceled: { [held.orderID]: "order can't be canceled while it is delayed" },
    });
    fixture.letGo();
    await matched;
    expect(await client.getOrder(held.orderID)).toMatchObject({
      status: 'MATCHED',
      size_matched: '10',
    });
  });

  it("takes a resolved market's book away and names its winner", async () => {
    const open = await client.createAndPostOrder({
      tokenID: UP,
      price: 0.47,
      size: 10,
      side: Side.BUY,
    });
    fixture.exchange.resolve(MARKET, [0, 10_000]);
    expect(await client.getOrderBook(UP)).toMatchObject({
      status: 404,
      error: 'No orderbook exists for the requested token id',
    });
    expect(await client.getMarket(MARKET)).toMatchObject({
      closed: true,
      accepting_orders: false,
      tokens: [{ winner: false }, { winner: true }],
    });
    expect(await client.getOrder(open.orderID)).toMatchObject({
      status: 'CANCELED_MARKET_RESOLVED',
    });
  });

  it('gives collateral only to addresses, in decimal text', async () => {
    const grant = async (body: unknown) => {
      const response = await fetch(`${fixture.faucet}/faucet`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await grant({ address: TEST_ADDRESS, usdc: '2.5' })).toEqual({
      status: 200,
      body: { address: TEST_ADDRESS, usdc: '2.5' },
    });
    for (const usdc of ['0', '-1', '1e3', '0.0000001', 5])
      expect((await grant({ address: TEST_ADDRESS, usdc })).status).toBe(400);
    expect((await grant({ address: '0x12', usdc: '1' })).status).toBe(400);
    expect(fixture.exchange.balanceOf(TEST_ADDRESS)).toBe(1_002_500_000);
  });
});
