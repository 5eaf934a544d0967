import { ClobClient, OrderType, Side, type ApiKeyCreds } from '../../../../peers/clob-client-v2.ts';
import { peerSigner } from '../../../../peers/signer.ts';
import { once } from 'node:events';
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
} from '../../../../conformance/venue-a-fixture.ts';
import { HELD_MS } from '../../../../support/clocks/held-clock.ts';

let fixture: Fixture;
let creds: ApiKeyCreds;
let client: ClobClient;
const sockets: WebSocket[] = [];

/** A frame of either channel, as far as these tests read it. */
interface Frame {
  readonly event_type?: string;
  readonly status?: string;
  readonly id?: string;
  readonly timestamp?: string;
  readonly price_changes?: readonly { readonly price: string }[];
}

/** A connected socket and what it has heard. */
interface Ear {
  readonly frames: string[];
  /** Waits until something heard fits. */
  until(fits: (frames: readonly string[]) => boolean): Promise<readonly string[]>;
  readonly closed: Promise<unknown>;
}

async function listen(url: string, first: object): Promise<Ear> {
  // As our own reader: a frame that is no UTF-8 is for it to count, not for the library to end the
  // connection.
  const socket = new WebSocket(url, { skipUTF8Validation: true });
  sockets.push(socket);
  const frames: string[] = [];
  socket.on('message', (data) => void frames.push(String(data)));
  const closed = once(socket, 'close');
  await once(socket, 'open');
  socket.send(JSON.stringify(first));
  socket.send('PING');
  const ear: Ear = {
    frames,
    closed,
    async until(fits) {
      while (!fits(frames)) await once(socket, 'message');
      return frames;
    },
  };
  await ear.until((heard) => heard.includes('PONG'));
  return ear;
}

const market = () => listen(fixture.sockets.marketUrl, { assets_ids: [UP], type: 'market' });
const user = () =>
  listen(fixture.sockets.userUrl, {
    auth: { apiKey: creds.key, secret: creds.secret, passphrase: creds.passphrase },
    type: 'user',
  });
const parse = (text: string): Frame => JSON.parse(text);
const isJson = (text: string) => text.startsWith('{');
const buy = async () => client.createOrder({ tokenID: UP, price: 0.47, size: 10, side: Side.BUY });
const openIds = async () => (await client.getOpenOrders()).map(({ id }) => id);

beforeEach(async () => {
  fixture = await startFixture();
  await fetch(`${fixture.faucet}/faucet`, {
    method: 'POST',
    body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
  });
  const signer = peerSigner(TEST_KEY);
  creds = await new ClobClient({ host: fixture.rest, chain: 137, signer }).createOrDeriveApiKey();
  client = new ClobClient({ host: fixture.rest, chain: 137, signer, creds });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await fixture.close();
});

describe('faults on the way of an order', () => {
  it('late-ack: the order rests long before its answer', async () => {
    const order = await buy();
    const answers: unknown[] = [];
    fixture.faults.arm('late-ack', { times: 1, delayMs: HELD_MS });
    const late = client.postOrder(order).then((answer) => answers.push(answer));
    while ((await openIds()).length === 0);
    expect(answers).toEqual([]);
    fixture.letGo();
    await late;
    expect(answers).toMatchObject([{ status: 'live' }]);
  });

  it('lost-ack: the order rests and the answer never comes', async () => {
    fixture.faults.arm('lost-ack', { times: 1 });
    expect(
      await client.postOrder(await buy()).catch((cause: unknown) => ({ error: String(cause) })),
    ).toMatchObject({ error: expect.anything() });
    expect(await openIds()).toHaveLength(1);
  });

  it('late-book: the order appears after the connection was cut and a cancel-all was answered', async () => {
    fixture.faults.arm('late-book', { times: 1, delayMs: HELD_MS });
    const placed: string[] = [];
    const booked = new Promise<void>((resolve) => {
      fixture.exchange.subscribe((event) => {
        if (event.kind !== 'order') return;
        placed.push(event.type);
        resolve();
      });
    });
    await client.postOrder(await buy()).catch(() => null);
    expect(await client.cancelAll()).toEqual({ canceled: [], not_canceled: {} });
    fixture.letGo();
    await booked;
    expect(placed).toEqual(['PLACEMENT']);
    expect(await openIds()).toHaveLength(1);
  });

  it('refused-silently: the connection is reset and nothing is booked', async () => {
    fixture.faults.arm('refused-silently', { times: 1 });
    await client.postOrder(await buy()).catch(() => null);
    expect(await openIds()).toEqual([]);
  });

  it('retry-duplicated: the order rests although the answer says Duplicated', async () => {
    fixture.faults.arm('retry-duplicated', { times: 1 });
    expect(await client.postOrder(await buy())).toMatchObject({
      status: 400,
      error: expect.stringMatching(/is invalid\. Duplicated\.$/),
    });
    expect(await openIds()).toHaveLength(1);
  });

  it('success-without-id and batch-leg-empty: success is said and nothing is booked', async () => {
    fixture.faults.arm('success-without-id', { times: 1 });
    expect(await client.postOrder(await buy())).toMatchObject({
      success: true,
      orderID: '',
      errorMsg: 'could not insert order',
    });
    fixture.faults.arm('batch-leg-empty', { times: 1 });
    const legs = await client.postOrders([
      { order: await buy(), orderType: OrderType.GTC },
      { order: await buy(), orderType: OrderType.GTC },
    ]);
    expect(legs).toMatchObject([
      { success: true, orderID: '' },
      { success: true, status: 'live' },
    ]);
    expect(await openIds()).toHaveLength(1);
  });

  it('trade-before-response: the socket tells of the fill before the answer comes', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 4700, shares: 20 });
    const ear = await user();
    const order = await buy();
    let answered = false;
    fixture.faults.arm('trade-before-response', { times: 1, delayMs: HELD_MS });
    const late = client.postOrder(order).then(() => (answered = true));
    await ear.until((heard) =>
      heard.some((text) => isJson(text) && parse(text).event_type === 'trade'),
    );
    expect(answered).toBe(false);
    fixture.letGo();
    await late;
  });

  it('delayed-then-matched and delayed-then-dead: held, then one or the other', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 4700, shares: 20 });
    const ear = await user();
    fixture.faults.arm('delayed-then-matched', { times: 1, delayMs: HELD_MS });
    expect(await client.postOrder(await buy())).toMatchObject({ status: 'delayed' });
    fixture.letGo();
    await ear.until((heard) =>
      heard.some(
        (text) =>
          isJson(text) && parse(text).status === 'MATCHED' && parse(text).event_type === 'order',
      ),
    );
    fixture.faults.arm('delayed-then-dead', { times: 1, delayMs: HELD_MS });
    expect(await client.postOrder(await buy())).toMatchObject({ status: 'delayed' });
    fixture.letGo();
    await ear.until((heard) =>
      heard.some(
        (text) =>
          isJson(text) &&
          parse(text).status === 'CANCELED_order match delayed due to market conditions',
      ),
    );
  });

  it('fok-stuck-live: a killed FOK is shown as live once', async () => {
    const order = await client.createMarketOrder({
      tokenID: UP,
      amount: 5,
      price: 0.5,
      side: Side.BUY,
    });
    const ear = await user();
    await client.postOrder(order, OrderType.FOK);
    const heard = await ear.until((frames) =>
      frames.some((text) => isJson(text) && parse(text).status?.startsWith('CANCELED_') === true),
    );
    const id = heard.filter(isJson).map(parse)[0]?.id ?? '';
    fixture.faults.arm('fok-stuck-live', { times: 1 });
    expect([(await client.getOrder(id)).status, (await client.getOrder(id)).status]).toEqual([
      'LIVE',
      "CANCELED_order couldn't be fully filled. FOK orders are fully filled or killed.",
    ]);
  });

  it('balance-cache-stale: a deposit is seen only after the cache is refreshed', async () => {
    fixture.faults.arm('balance-cache-stale', { times: 1 });
    await fetch(`${fixture.faucet}/faucet`, {
      method: 'POST',
      body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
    });
    const order = await client.createOrder({
      tokenID: UP,
      price: 0.5,
      size: 3_000,
      side: Side.BUY,
    });
    expect(await client.postOrder(order)).toMatchObject({
      error: expect.stringContaining('balance: 1000000000'),
    });
    await client.updateBalanceAllowance();
    expect(await client.postOrder(order)).toMatchObject({ status: 'live' });
  });

  it('cancel-already-gone and reason-suffix: the order stays live, and later ends with a reason behind its status', async () => {
    const { orderID } = await client.postOrder(await buy());
    fixture.faults.arm('cancel-already-gone', { times: 1 });
    expect(await client.cancelOrder({ orderID })).toEqual({
      canceled: [],
      not_canceled: { [orderID]: "order can't be found - already canceled or matched" },
    });
    expect(await openIds()).toEqual([orderID]);
    fixture.faults.arm('reason-suffix', { times: 1 });
    await client.cancelOrder({ orderID });
    expect(await client.getOrder(orderID)).toMatchObject({ status: 'CANCELED_user requested' });
  });
});

describe('engine modes', () => {
  const post = async () => {
    const response = await fetch(`${fixture.rest}/order`, { method: 'POST', body: '{}' });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      retryAfter: response.headers.get('retry-after'),
      body: await response.text(),
    };
  };

  it.each([
    [
      'engine-restart',
      {
        status: 425,
        type: 'application/json',
        retryAfter: null,
        body: '{"error":"service not ready"}',
      },
    ],
    [
      'cancel-only',
      {
        status: 503,
        type: 'application/json',
        retryAfter: null,
        body: '{"error":"Trading is currently cancel-only. New orders are not accepted, but cancels are allowed."}',
      },
    ],
    [
      'rate-limited',
      {
        status: 429,
        type: 'application/json',
        retryAfter: '2',
        body: '{"error":"Too Many Requests"}',
      },
    ],
    [
      'rate-limited-html',
      { status: 429, type: 'text/html', retryAfter: '2', body: expect.stringContaining('<html>') },
    ],
    [
      'geoblocked',
      {
        status: 403,
        type: 'application/json',
        retryAfter: null,
        body: expect.stringContaining('Trading restricted in your region'),
      },
    ],
    [
      'bad-gateway',
      {
        status: 502,
        type: 'text/html',
        retryAfter: null,
        body: expect.stringContaining('502 Bad Gateway'),
      },
    ],
  ] as const)('%s answers before anything is authenticated', async (name, expected) => {
    fixture.faults.arm(name, { times: 1 });
    expect(await post()).toEqual(expected);
    expect((await post()).status).toBe(401);
  });

  it('post-only-window lets only post-only orders and cancels through', async () => {
    fixture.faults.arm('post-only-window', { delayMs: 30_000 });
    expect(await client.postOrder(await buy())).toMatchObject({
      code: 'post_only_mode',
      retry_after_seconds: 30,
      status: 503,
    });
    const placed = await client.postOrder(await buy(), OrderType.GTC, true);
    expect(placed).toMatchObject({ status: 'live' });
    expect(await client.cancelOrder({ orderID: placed.orderID })).toMatchObject({
      canceled: [placed.orderID],
    });
  });
});

describe('faults on the sockets', () => {
  const quote = (price: number) => fixture.quote({ tokenId: UP, side: 'buy', price, shares: 10 });
  const prices = (frames: readonly string[]) =>
    frames
      .filter(isJson)
      .map(parse)
      .flatMap(({ price_changes }) => price_changes?.[0]?.price ?? []);

  it('gap: one change is lost, the next one comes', async () => {
    const ear = await market();
    fixture.faults.arm('gap', { times: 1 });
    quote(4000);
    await client.getOk();
    quote(4100);
    expect(prices(await ear.until((heard) => prices(heard).length > 0))).toEqual(['0.41']);
  });

  it('no-snapshot and silent-stall: the socket answers PONG and says nothing else', async () => {
    fixture.faults.arm('no-snapshot', { times: 1 });
    const ear = await market();
    fixture.faults.arm('silent-stall', { match: { marketId: MARKET } });
    quote(4000);
    await client.getOk();
    expect(ear.frames).toEqual(['PONG']);
    fixture.faults.clear('silent-stall');
    quote(4100);
    expect(prices(await ear.until((heard) => prices(heard).length > 0))).toEqual(['0.41']);
  });

  it('non-json-frame, zero-price-level and time-backwards come as named', async () => {
    const ear = await market();
    for (const name of ['non-json-frame', 'zero-price-level', 'time-backwards'] as const)
      fixture.faults.arm(name, { times: 1 });
    const before = fixture.exchange.clock.nowMs();
    quote(4000);
    const heard = await ear.until((frames) => prices(frames).length > 0);
    const frame = parse(heard.at(-1) ?? '{}');
    expect(
      heard.slice(-6, -1).map((text) => (text.codePointAt(0) === 0xfffd ? 'no UTF-8' : text)),
    ).toEqual(['PONG', 'NO NEW ASSETS', 'INVALID OPERATION', 'no UTF-8', '[]']);
    expect(frame.price_changes?.slice(-2)).toMatchObject([{ price: '0' }, { size: '' }]);
    expect(Number(frame.timestamp)).toBeLessThan(before);
  });

  it('crossed, mirror-broken, object-or-array and schema-drift come as named', async () => {
    const ear = await market();
    fixture.quote({ tokenId: UP, side: 'sell', price: 6000, shares: 10 });
    const bodies = async (count: number) =>
      (
        await ear.until(
          (frames) => frames.filter((text) => text.includes('price_change')).length === count,
        )
      ).filter((text) => text.includes('price_change'));
    await bodies(1);
    fixture.faults.arm('crossed', { times: 1 });
    fixture.faults.arm('mirror-broken', { times: 1 });
    quote(4000);
    expect(JSON.parse((await bodies(2)).at(-1) ?? '')).toMatchObject({
      price_changes: [
        { asset_id: UP, best_bid: '0.6', best_ask: '0.6' },
        { asset_id: UP, side: 'BUY', price: '0.6', size: '1' },
      ],
    });
    fixture.faults.arm('object-or-array', { times: 1 });
    quote(4100);
    expect(JSON.parse((await bodies(3)).at(-1) ?? '')).toMatchObject([
      { event_type: 'price_change' },
    ]);
    fixture.faults.arm('schema-drift', { times: 1 });
    quote(4200);
    expect(JSON.parse((await bodies(4)).at(-1) ?? '')).toMatchObject({
      event_type: 'price_change',
      changes: [{}, {}],
    });
  });

  it('market-resolved-silently: the market is over by REST, the socket says nothing', async () => {
    const ear = await listen(fixture.sockets.marketUrl, {
      assets_ids: [UP, DOWN],
      type: 'market',
      custom_feature_enabled: true,
    });
    fixture.faults.arm('market-resolved-silently', { times: 1 });
    const heard = ear.frames.length;
    fixture.exchange.resolve(MARKET, [10_000, 0]);
    expect(await client.getMarket(MARKET)).toMatchObject({
      closed: true,
      tokens: [{ winner: true }, { winner: false }],
    });
    expect(ear.frames).toHaveLength(heard);
  });

  it('socket-dropped: the connection ends without a farewell', async () => {
    const ear = await market();
    fixture.faults.arm('socket-dropped', { times: 1 });
    quote(4000);
    expect((await ear.closed) as readonly unknown[]).toEqual([1006, expect.anything()]);
  });

  it('duplicate-trade and confirmed-then-replayed-matched: more frames than facts', async () => {
    fixture.quote({ tokenId: UP, side: 'sell', price: 4700, shares: 20 });
    const ear = await user();
    fixture.faults.arm('duplicate-trade', { times: 1 });
    fixture.faults.arm('confirmed-then-replayed-matched', { times: 1 });
    await client.postOrder(await buy());
    const trades = (frames: readonly string[]) =>
      frames
        .filter(isJson)
        .map(parse)
        .filter(({ event_type }) => event_type === 'trade');
    const heard = trades(await ear.until((frames) => trades(frames).length === 5));
    expect(heard.map(({ status }) => status)).toEqual([
      'MATCHED',
      'MATCHED',
      'MINED',
      'CONFIRMED',
      'MATCHED',
    ]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(1);
  });

  it('closes the user channel to wrong credentials', async () => {
    const socket = new WebSocket(fixture.sockets.userUrl);
    sockets.push(socket);
    await once(socket, 'open');
    socket.send(
      JSON.stringify({
        auth: { apiKey: creds.key, secret: creds.secret, passphrase: 'wrong' },
        type: 'user',
      }),
    );
    expect((await once(socket, 'close'))[0]).toBe(1008);
  });

  it('says what it cannot use', async () => {
    const ear = await market();
    sockets.at(-1)?.send('hello');
    sockets.at(-1)?.send(JSON.stringify({ assets_ids: [UP], type: 'market' }));
    sockets.at(-1)?.send(JSON.stringify({ assets_ids: [UP], operation: 'subscribe' }));
    expect(await ear.until((heard) => heard.length === 5)).toEqual([
      expect.stringMatching(/^\[/),
      'PONG',
      'INVALID MESSAGE',
      'INVALID OPERATION',
      'NO NEW ASSETS',
    ]);
  });
});
