import {
  AssetType,
  ClobClient,
  OrderType,
  Side,
  type ApiKeyCreds,
} from '../peers/clob-client-v2.ts';
import { peerSigner } from '../peers/signer.ts';
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

let fixture: Fixture;
let creds: ApiKeyCreds;
let client: ClobClient;

const signer = peerSigner(TEST_KEY);

function clientOf(
  extra: {
    creds?: ApiKeyCreds;
    signatureType?: number;
    funderAddress?: string;
    throwOnError?: boolean;
  } = {},
): ClobClient {
  return new ClobClient({ host: fixture.rest, chain: 137, signer, throwOnError: true, ...extra });
}

beforeEach(async () => {
  fixture = await startFixture();
  await fetch(`${fixture.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
  });
  creds = await clientOf().createOrDeriveApiKey();
  client = clientOf({ creds });
});

afterEach(() => fixture.close());

describe('@polymarket/clob-client-v2 1.1.0 against the sandbox', () => {
  it('creates a key once, derives the same one, lists and deletes it', async () => {
    await expect(clientOf().createApiKey()).rejects.toThrow('Could not create api key');
    expect(await clientOf().deriveApiKey()).toEqual(creds);
    expect(await client.getApiKeys()).toEqual({ apiKeys: [creds.key] });
    expect(await client.getClosedOnlyMode()).toEqual({ closed_only: false });
    expect(await client.deleteApiKey()).toBe('OK');
    await expect(client.getApiKeys()).rejects.toThrow('Unauthorized/Invalid api key');
  });

  it('refuses a key of another secret', async () => {
    const forged = clientOf({ creds: { ...creds, secret: Buffer.alloc(32).toString('base64') } });
    await expect(forged.getOpenOrders()).rejects.toThrow('Unauthorized/Invalid api key');
  });

  it('reads the book, its hash, prices and the market', async () => {
    fixture.quote({ tokenId: UP, side: 'buy', price: 4700, shares: 20 });
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
    const book = await client.getOrderBook(UP);
    expect(book).toMatchObject({
      market: MARKET,
      asset_id: UP,
      bids: [{ price: '0.47', size: '20' }],
      asks: [{ price: '0.51', size: '30' }],
      tick_size: '0.01',
    });
    expect(await client.getOrderBookHash({ ...book })).toBe(book.hash);
    expect(await client.getOrderBook(DOWN)).toMatchObject({
      bids: [{ price: '0.49', size: '30' }],
      asks: [{ price: '0.53', size: '20' }],
    });
    expect(await client.getMidpoint(UP)).toEqual({ mid: '0.49' });
    expect(await client.getSpread(UP)).toEqual({ spread: '0.04' });
    expect(await client.getTickSize(UP)).toBe('0.01');
    expect(await client.getNegRisk(UP)).toBe(false);
    expect(await client.getVersion()).toBe(2);
    expect(
      (
        await client.getOrderBooks([
          { token_id: UP, side: Side.BUY },
          { token_id: DOWN, side: Side.BUY },
        ])
      ).map(({ asset_id }) => asset_id),
    ).toEqual([UP, DOWN]);
    expect(await client.getMarket(MARKET)).toMatchObject({
      condition_id: MARKET,
      accepting_orders: true,
      closed: false,
    });
    expect((await client.getMarkets()).data).toHaveLength(1);
    expect(await client.getOk()).toBe('OK');
  });

  it('answers tick, neg-risk flag and fee of a token named by the path, as other clients name it', async () => {
    const answer = async (path: string): Promise<unknown> =>
      (await fetch(`${fixture.rest}${path}`)).json();
    for (const path of ['/tick-size', '/neg-risk', '/fee-rate'])
      expect(await answer(`${path}/${UP}`)).toEqual(await answer(`${path}?token_id=${UP}`));
    expect(await answer(`/tick-size/${UP}`)).toEqual({ minimum_tick_size: 0.01 });
    expect((await fetch(`${fixture.rest}/tick-size/1`)).status).toBe(404);
  });

  it('rests a limit order, shows it, and cancels it', async () => {
    const placed = await client.createAndPostOrder({
      tokenID: UP,
      price: 0.47,
      size: 7.5,
      side: Side.BUY,
    });
    expect(placed).toMatchObject({
      success: true,
      errorMsg: '',
      status: 'live',
      makingAmount: '',
      takingAmount: '',
    });
    const open = await client.getOpenOrders({ market: MARKET });
    expect(open).toMatchObject([
      {
        id: placed.orderID,
        status: 'LIVE',
        original_size: '7.5',
        size_matched: '0',
        price: '0.47',
        outcome: 'Up',
        order_type: 'GTC',
        associate_trades: [],
      },
    ]);
    expect(await client.getOrder(placed.orderID)).toEqual(open[0]);
    expect(await client.cancelOrder({ orderID: placed.orderID })).toEqual({
      canceled: [placed.orderID],
      not_canceled: {},
    });
    expect(await client.getOpenOrders()).toEqual([]);
    expect(await client.getOrder(placed.orderID)).toMatchObject({ status: 'CANCELED' });
    expect(await client.cancelOrder({ orderID: placed.orderID })).toEqual({
      canceled: [],
      not_canceled: { [placed.orderID]: "order can't be found - already canceled or matched" },
    });
  });

  it('fills a market order, and follows its trade to the transaction', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
    const filled = await client.createAndPostMarketOrder(
      { tokenID: UP, amount: 10, side: Side.BUY },
      undefined,
      OrderType.FOK,
    );
    expect(filled).toMatchObject({
      success: true,
      status: 'matched',
      makingAmount: '9.999978',
      takingAmount: '19.6078',
    });
    expect(filled.transactionsHashes).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
    const trades = await client.getTrades({ market: MARKET });
    expect(trades).toMatchObject([
      {
        id: filled.tradeIDs?.[0],
        taker_order_id: filled.orderID,
        asset_id: UP,
        side: 'BUY',
        size: '19.6078',
        price: '0.51',
        trader_side: 'TAKER',
        bucket_index: 0,
        maker_orders: [{ matched_amount: '19.6078', price: '0.51', side: 'SELL', asset_id: UP }],
      },
    ]);
    expect(
      await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: UP }),
    ).toMatchObject({ balance: '19607800' });
    expect(await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).toMatchObject({
      balance: String(1_000_000_000 - 9_999_978 - 343_000),
    });
  });

  it('mints when a buyer of Down meets a buyer of Up, and says so in the maker entry', async () => {
    fixture.quote({ tokenId: DOWN, side: 'buy', price: 4000, shares: 10 });
    await client.createAndPostMarketOrder(
      { tokenID: UP, amount: 6, side: Side.BUY },
      undefined,
      OrderType.FAK,
    );
    expect(await client.getTrades({ asset_id: UP })).toMatchObject([
      {
        price: '0.6',
        maker_orders: [
          { asset_id: DOWN, outcome: 'Down', side: 'BUY', price: '0.4', matched_amount: '10' },
        ],
      },
    ]);
  });

  it('takes a batch leg by leg', async () => {
    const good = await client.createOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY });
    const small = await client.createOrder({ tokenID: UP, price: 0.4, size: 3, side: Side.BUY });
    const answers = await client.postOrders([
      { order: good, orderType: OrderType.GTC },
      { order: small, orderType: OrderType.GTC },
    ]);
    expect(answers).toMatchObject([
      { success: true, status: 'live', errorMsg: '' },
      { success: true, orderID: '', status: '' },
    ]);
    expect(answers[1]?.errorMsg).toMatch(
      /^order 0x[0-9a-f]{64} is invalid\. Size \(3\) lower than the minimum: 5$/,
    );
    expect(await client.cancelAll()).toMatchObject({ canceled: [answers[0]?.orderID] });
  });

  it('cancels by ids and by market', async () => {
    const first = await client.createAndPostOrder({
      tokenID: UP,
      price: 0.4,
      size: 10,
      side: Side.BUY,
    });
    const second = await client.createAndPostOrder({
      tokenID: DOWN,
      price: 0.41,
      size: 10,
      side: Side.BUY,
    });
    expect(await client.cancelOrders([first.orderID])).toEqual({
      canceled: [first.orderID],
      not_canceled: {},
    });
    expect(await client.cancelMarketOrders({ market: MARKET, asset_id: DOWN })).toEqual({
      canceled: [second.orderID],
      not_canceled: {},
    });
  });

  it("refuses the same signed order twice with the venue's word for it", async () => {
    const order = await client.createOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY });
    const placed = await client.postOrder(order);
    await expect(client.postOrder(order)).rejects.toThrow(
      `order ${placed.orderID} is invalid. Duplicated.`,
    );
    expect(await client.getOpenOrders()).toHaveLength(1);
  });

  it("refuses orders beyond the balance with the venue's numbers", async () => {
    await client.createAndPostOrder({ tokenID: UP, price: 0.5, size: 1_900, side: Side.BUY });
    await expect(
      client.createAndPostOrder({ tokenID: UP, price: 0.5, size: 200, side: Side.BUY }),
    ).rejects.toThrow(
      'not enough balance / allowance: the balance is not enough -> balance: 1000000000, sum of active orders: 950000000, order amount (inc. fees): 100000000',
    );
  });

  it('kills a FOK that cannot be filled, and a post-only order that would cross', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 5 });
    await expect(
      client.createAndPostMarketOrder(
        { tokenID: UP, amount: 10, price: 0.51, side: Side.BUY },
        undefined,
        OrderType.FOK,
      ),
    ).rejects.toThrow("order couldn't be fully filled. FOK orders are fully filled or killed.");
    await expect(
      client.createAndPostOrder(
        { tokenID: UP, price: 0.52, size: 5, side: Side.BUY },
        undefined,
        OrderType.GTC,
        true,
      ),
    ).rejects.toThrow('invalid post-only order: order crosses book');
  });

  it('beats the heart and gets the expected id when it errs', async () => {
    const first = await client.postHeartbeat();
    const second = await client.postHeartbeat(first.heartbeat_id);
    expect(second.heartbeat_id).not.toBe(first.heartbeat_id);
    await expect(client.postHeartbeat(first.heartbeat_id)).rejects.toThrow();
  });

  it('trades through a Safe and a proxy wallet the key controls', async () => {
    for (const [signatureType, funderAddress] of [
      [2, '0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47'],
      [1, '0x365f0ca36ae1f641e02fe3b7743673da42a13a70'],
    ] as const) {
      await fetch(`${fixture.faucet}/faucet`, {
        method: 'POST',
        body: JSON.stringify({ address: funderAddress, usdc: '50' }),
      });
      const wallet = clientOf({ creds, signatureType, funderAddress });
      expect(
        await wallet.createAndPostOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY }),
      ).toMatchObject({ status: 'live' });
      expect(await wallet.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).toMatchObject({
        balance: '50000000',
      });
    }
  });

  it('trades through a deposit wallet with the wrapped signature', async () => {
    const funderAddress = '0xbc0ff067b7740eff76c1ca93c875ba6b890d6b50';
    await fetch(`${fixture.faucet}/faucet`, {
      method: 'POST',
      body: JSON.stringify({ address: funderAddress, usdc: '50' }),
    });
    const wallet = clientOf({ creds, signatureType: 3, funderAddress });
    expect(
      await wallet.createAndPostOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY }),
    ).toMatchObject({ status: 'live' });
  });

  it('hands a version mismatch back after asking for the version again', async () => {
    fixture.faults.arm('order-version-mismatch', { times: 1 });
    const forgiving = clientOf({ creds, throwOnError: false });
    expect(
      await forgiving.createAndPostOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY }),
    ).toEqual({ error: 'order_version_mismatch', status: 400 });
  });
});

describe('an order for the wrong exchange', () => {
  it('is refused as signed by no known account', async () => {
    await fixture.close();
    fixture = await startFixture({ negRisk: true });
    await fetch(`${fixture.faucet}/faucet`, {
      method: 'POST',
      body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
    });
    creds = await clientOf().createOrDeriveApiKey();
    client = clientOf({ creds });
    expect(
      await client.createAndPostOrder({ tokenID: UP, price: 0.4, size: 10, side: Side.BUY }),
    ).toMatchObject({ status: 'live' });
    await expect(
      client.createAndPostOrder(
        { tokenID: UP, price: 0.4, size: 10, side: Side.BUY },
        { negRisk: false, tickSize: '0.01' },
      ),
    ).rejects.toThrow('invalid signature');
  });
});
