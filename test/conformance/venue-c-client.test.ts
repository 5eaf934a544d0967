import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import { asId, type Address, type OrderId, type UserId } from '../../src/domain/ids.ts';
import type { OrderHandle, OrderIntent } from '../../src/domain/order.ts';
import { TICKS_PER_USD, priceTicks } from '../../src/domain/units.ts';
import { accountHeaders } from '../../src/venues/venue-c/auth.ts';
import { createOrderDigest } from '../../src/venues/venue-c/order-book/digest.ts';
import { createOrderGateway } from '../../src/venues/venue-c/order-book/gateway.ts';
import { orderRowSchema, orderRowsSchema } from '../../src/venues/venue-c/order-book/schema.ts';
import type { PreparedOrder } from '../../src/venues/venue-c/order-book/prepared.ts';
import { createOrderSigner } from '../../src/venues/venue-c/order-book/sign.ts';
import {
  HttpClient,
  MarketFetcher,
  OrderClient,
  OrderType,
  PortfolioFetcher,
  Side,
  Wallet,
} from '../peers/pool-sdk.ts';
import {
  startPoolWorld,
  type PoolUser,
  type PoolWorld,
} from '../sandbox/venues/venue-c/a-venue.ts';
import { handleOf } from '../support/attempts.ts';
import { vaultWith } from '../support/known-keys.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { anOrderIntent } from '../venues/venue-c/intents.ts';
import { aWire, type Answer } from '../venues/venue-c/wire.ts';

const ADA = asId<UserId>('usr_ada');
const PRICE = 0.011;
const SHARES = 100;

/** A request of the published client, and what the venue answered. */
interface Exchanged {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly status: number;
  readonly answer: unknown;
}

/** Hands requests on to the venue, and keeps each with its answer. */
async function startRecorder(target: string) {
  const exchanges: Exchanged[] = [];
  const server = createServer((request, reply) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts).toString('utf8');
      const { method = '', url: path = '' } = request;
      const { host: _host, 'content-length': _length, ...headers } = request.headers;
      const answered = await fetch(target + path, {
        method,
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ...(body === '' ? {} : { body }),
      });
      const text = await answered.text();
      exchanges.push({
        method,
        path,
        headers: request.headers,
        body,
        status: answered.status,
        answer: JSON.parse(text),
      });
      reply.writeHead(answered.status, { 'content-type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('our adapter of venue_c, beside a recorded exchange of the published client', () => {
  let world: PoolWorld;
  let user: PoolUser;
  let slug: string;
  let exchanges: readonly Exchanged[];
  const of = (method: string, path: RegExp): Exchanged => {
    const found = exchanges.find((one) => one.method === method && path.test(one.path));
    if (found === undefined) throw new Error(`the client has not asked ${method} ${path}`);
    return found;
  };
  /** The exchange's answers, by path. */
  const answers = (): Record<string, Answer> =>
    Object.fromEntries(
      exchanges.map(({ path, status, answer }) => [
        new URL(path, 'http://venue').pathname,
        [status, Object(answer)] as const,
      ]),
    );

  beforeAll(async () => {
    world = await startPoolWorld();
    user = await world.user();
    const question = world.open.exchange
      .markets()
      .find(
        ({ window, group, tradeType }) => window === null && group === null && tradeType === 'clob',
      );
    slug = question?.slug ?? '';
    const recorder = await startRecorder(world.open.urls.poolRest);
    const { tokenId, secret, key } = user;
    const httpClient = new HttpClient({
      baseURL: recorder.url,
      hmacCredentials: { tokenId, secret },
    });
    const markets = new MarketFetcher(httpClient);
    const orders = new OrderClient({ httpClient, wallet: new Wallet(key) });
    await markets.getActiveMarkets({ limit: 25 });
    const market = await markets.getMarket(slug);
    await markets.getOrderBook(slug);
    const { order } = await orders.createOrder({
      tokenId: market.tokens?.yes ?? '',
      price: PRICE,
      size: SHARES,
      side: Side.BUY,
      orderType: OrderType.GTC,
      marketSlug: slug,
    });
    await market.getUserOrders();
    await new PortfolioFetcher(httpClient).getPositions();
    await orders.cancel(order.id);
    exchanges = recorder.exchanges;
    await recorder.close();
  });
  afterAll(() => world.close());

  it('signs requests as it does', () => {
    const signed = exchanges.filter(({ headers }) => headers['lmts-signature'] !== undefined);
    expect(signed.length).toBeGreaterThan(3);
    for (const { method, path, body, headers } of signed) {
      const { 'lmts-timestamp': at } = headers;
      const own = accountHeaders(user, {
        method: method as 'GET' | 'POST' | 'DELETE',
        path,
        body,
        atMs: Date.parse(String(at)),
      });
      expect(Object.entries(own)).toEqual(Object.keys(own).map((name) => [name, headers[name]]));
    }
  });

  it('reads the markets and the book that it was shown', async () => {
    const { listing } = aWire(answers());
    const listed = await listing.market(asId(slug));
    const { answer: book } = of('GET', /\/orderbook/);
    expect(listed?.market.outcomes[0].tokenId).toBe(Object(book).tokenId);
  });

  it('sends the order it sent by the same bytes, its own name of it apart, and reads the answers alike', async () => {
    const { body, answer } = of('POST', /^\/orders$/);
    const sent = JSON.parse(body);
    const keccak = await loadKeccak();
    const { order } = sent;
    const account = {
      ...user,
      ownerId: sent.ownerId as number,
      feeRateBps: order.feeRateBps as number,
      address: asId<Address>(user.account),
    };
    const signer = createOrderSigner({
      vault: await vaultWith(keccak, ADA, user.key),
      digestOf: createOrderDigest(keccak, 8_453),
      random: createSeededRandom('salts'),
      accounts: { accountOf: async () => account },
      allowances: { ensure: async () => undefined },
    });
    const { answers: given, asked, client, listing } = aWire(answers());
    const listed = await listing.market(asId(slug));
    const own = listed?.own;
    if (own?.tradeType !== 'clob') return expect.unreachable();
    const intent: OrderIntent = anOrderIntent({
      marketId: asId(slug),
      tokenId: asId(order.tokenId),
      price: priceTicks(PRICE * TICKS_PER_USD),
      spendMicros: order.makerAmount,
      receiveMicros: order.takerAmount,
    });
    const prepared: PreparedOrder = {
      salt: order.salt,
      exchange: own.exchange,
      feeRateBps: account.feeRateBps,
      ownerId: account.ownerId,
    };
    const handle: OrderHandle = handleOf(intent, signer.sign(intent, prepared));
    const { clientOrderId, ...rest } = JSON.parse(handle.attempt.body);
    expect(rest).toEqual(sent);
    expect(Object.keys(rest.order)).toEqual(Object.keys(order));

    const gateway = createOrderGateway({
      client,
      accounts: { accountOf: async () => account, refused: () => undefined },
      allowances: { forget: () => undefined },
      earlier: { settled: async (_order, _wallet, fills) => fills },
      watch: () => () => undefined,
    });
    const orderId = String(Object(answer).order.id);
    // The venue names an order as it was named, which that client does not do.
    given['/orders'] = [
      201,
      { ...Object(answer), order: { ...Object(answer).order, clientOrderId } },
    ];
    expect(await gateway.submit(handle)).toEqual({ kind: 'accepted', orderId, status: 'live' });
    const known = { ...handle, attempt: { ...handle.attempt, orderId: asId<OrderId>(orderId) } };
    expect(await gateway.openOrders(ADA)).toMatchObject({
      unread: 0,
      read: [{ orderId, status: 'live', matchedShares: 0 }],
    });
    expect(await gateway.cancel(known)).toEqual({ kind: 'cancelled' });
    const asOf = (method: string, path: string) => `${method} ${path.split('?')[0]}`;
    const theirs = new Set(exchanges.map(({ method, path }) => asOf(method, path)));
    expect(
      asked.map(({ method, path }) => asOf(method, path)).filter((one) => !theirs.has(one)),
    ).toEqual([]);
  });

  it('reads the rows of its own orders', () => {
    const rows = orderRowsSchema.parse(of('GET', /user-orders/).answer);
    expect(rows.map((row) => orderRowSchema.parse(row))).toEqual([
      expect.objectContaining({
        status: 'LIVE',
        originalSize: SHARES * 1e6,
        remainingSize: SHARES * 1e6,
      }),
    ]);
  });
});
