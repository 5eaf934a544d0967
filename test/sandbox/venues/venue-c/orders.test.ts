import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { zeroAddress } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import type { VenueMarket } from '../../../../src/sandbox/venues/venue-c/model/market.ts';
import type { SignedOrder } from '../../../../src/sandbox/venues/venue-c/model/order.ts';
import { typedOrder } from '../../../../src/sandbox/venues/venue-c/order-type.ts';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { createHeldClock, HELD_MS } from '../../../support/clocks/held-clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { startPoolWorld, type PoolUser, type PoolWorld } from './a-venue.ts';

/** Number of the first user of a fresh venue. */
const FIRST_PROFILE = 1_000;

describe('orders of the venue of books and pools', () => {
  let world: PoolWorld;
  let user: PoolUser;
  let market: VenueMarket;
  let folder: string;
  let salt = 1;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'predictd-pools-'));
    world = await startPoolWorld({ dataDir: folder });
    user = await world.user('100');
    market = questionOf(world);
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Begins with a world of another kind. */
  const anew = async (options: Parameters<typeof startPoolWorld>[0]): Promise<void> => {
    await world.close();
    world = await startPoolWorld(options);
    user = await world.user('100');
    market = questionOf(world);
  };
  /** Calls with the user's token, as its own client does. */
  const signed = async (
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const timestamp = new Date().toISOString();
    const text = options.body === undefined ? '' : JSON.stringify(options.body);
    const signature = createHmac('sha256', Buffer.from(user.secret, 'base64'))
      .update(`${timestamp}\n${method}\n${path}\n${text}`)
      .digest('base64');
    return world.call(method, path, {
      ...options,
      headers: {
        'lmts-api-key': user.tokenId,
        'lmts-timestamp': timestamp,
        'lmts-signature': signature,
        ...options.headers,
      },
    });
  };
  /** A body of POST /orders: by default 10 YES at 0.005, which rests. */
  const bodyOf = async (
    changes: { readonly order?: Partial<SignedOrder> & { price?: number | undefined } } & Record<
      string,
      unknown
    > = {},
  ) => {
    const { price = 0.005, signature, ...changed } = changes.order ?? {};
    const order: Omit<SignedOrder, 'signature'> = {
      salt: (salt += 1),
      maker: user.account,
      signer: user.account,
      taker: zeroAddress,
      tokenId: market.tokens[0],
      makerAmount: 50_000,
      takerAmount: 10_000_000,
      expiration: '0',
      nonce: 0,
      feeRateBps: 300,
      side: 0,
      signatureType: 0,
      ...changed,
    };
    const account = privateKeyToAccount(user.key);
    const { order: _given, ...rest } = changes;
    return {
      order: {
        ...order,
        ...(Object.hasOwn(changes.order ?? {}, 'price') && changes.order?.price === undefined
          ? {}
          : { price }),
        signature:
          signature ?? (await account.signTypedData(typedOrder(order, VENUE_C_CHAIN.exchange))),
      },
      orderType: 'GTC',
      marketSlug: market.slug,
      ownerId: FIRST_PROFILE,
      ...rest,
    };
  };
  const place = async (changes: Parameters<typeof bodyOf>[0] = {}) =>
    signed('POST', '/orders', { body: await bodyOf(changes) });
  const fok = (usdc: number) => ({
    order: { price: undefined, makerAmount: usdc, takerAmount: 1 },
    orderType: 'FOK',
  });

  it('refuses what breaks a rule in the form of the venue, and takes nothing', async () => {
    const refusals = [
      [{ order: { signature: `0x${'11'.repeat(65)}` } }, 'Invalid signature'],
      [{ order: { tokenId: '11' } }, 'Invalid token ID'],
      [{ order: { price: 0.0055 } }, 'Invalid price'],
      [{ order: { price: 0.006 } }, 'Invalid price'],
      [{ order: { takerAmount: 10_000_500 } }, 'Invalid order size'],
      [{ order: { expiration: '1800000000' } }, 'Order expiration is not supported'],
      [
        { order: { signer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' } },
        'Signer does not match',
      ],
      [{ ownerId: 7 }, 'ownerId does not match the authenticated profile'],
      [{ ...fok(5_000_000), order: { takerAmount: 1 } }, 'price is not allowed for FOK orders'],
      [{ order: { makerAmount: 5_000, price: undefined } }, 'price is required for GTC orders'],
      [
        { order: { makerAmount: 150_000_000, takerAmount: 30_000_000_000 } },
        'Insufficient collateral balance',
      ],
      [
        { order: { side: 1, makerAmount: 10_000_000, takerAmount: 50_000 } },
        'Insufficient conditional token balance',
      ],
    ] as const;
    for (const [changes, message] of refusals)
      expect(await place(changes)).toEqual({
        status: 400,
        body: { message, error: 'Bad Request', statusCode: 400 },
      });
    expect(await place({ order: { maker: user.account.toLowerCase() } })).toMatchObject({
      status: 400,
      body: { message: [{ field: 'order.maker', message: 'must be a checksummed address' }] },
    });
    expect(world.open.exchange.openOf(user.account)).toEqual([]);
  });

  it('answers 409 to a known client order id, and keeps the first order', async () => {
    const first = await place({ clientOrderId: 'mine-1' });
    expect(first.status).toBe(201);
    expect((await place({ clientOrderId: 'mine-1' })).status).toBe(409);
    expect((await place({ clientOrderId: 'mine-2' })).status).toBe(201);
    const asked = await signed('POST', '/orders/status/batch', {
      body: { items: [{ orderId: first.body.order.id }, { orderId: 'unknown' }] },
    });
    expect(asked.body.results).toMatchObject([
      { index: 0, status: 'found', data: { execution: { settlementStatus: 'UNMATCHED' } } },
      { index: 1, status: 'not_found' },
    ]);
  });

  it('keeps back what open orders promise, and gives it free with a cancel', async () => {
    const big = { order: { makerAmount: 60_000_000, takerAmount: 12_000_000_000 } };
    const first = await place(big);
    expect(first.status).toBe(201);
    expect((await place(big)).body.message).toBe('Insufficient collateral balance');
    expect((await signed('GET', `/markets/${market.slug}/locked-balance`)).body).toEqual({
      lockedBalance: '60000000',
      lockedBalanceFormatted: '60.000000',
      currency: 'USDC',
      orderCount: 1,
    });
    // a JSON content type without a body is refused before anything is cancelled
    const typed = { headers: { 'content-type': 'application/json' } };
    expect(await signed('DELETE', `/orders/all/${market.slug}`, typed)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Body cannot be empty') },
    });
    expect((await signed('DELETE', `/orders/all/${market.slug}`)).body).toMatchObject({
      canceled: [first.body.order.id],
      failed: [],
    });
    expect((await place(big)).status).toBe(201);
  });

  it('kills a FOK that the book cannot fill whole, and says UNMATCHED', async () => {
    await world.call('POST', '/sandbox/endowment', {
      body: { address: user.account, usdc: '99999' },
    });
    const { status, body } = await place(fok(99_000_000_000));
    expect([status, body.execution.matched, body.execution.settlementStatus]).toEqual([
      201,
      false,
      'UNMATCHED',
    ]);
    expect(world.open.exchange.order(body.order.id)?.status).toBe('KILLED');
  });

  it('undoes a match whose settlement fails, and goes on with one that is retried', async () => {
    const { faults } = world.shared;
    faults.arm('ghost-fill', { times: 1 });
    const failed = await place(fok(5_000_000));
    expect(failed.body.execution).toMatchObject({ matched: true, settlementStatus: 'MATCHED' });
    const statusOf = async (orderId: string): Promise<string> =>
      (await signed('POST', '/orders/status/batch', { body: { items: [{ orderId }] } })).body
        .results[0].data.execution.settlementStatus;
    await eventually(async () => expect(await statusOf(failed.body.order.id)).toBe('FAILED'));
    expect((await signed('GET', '/portfolio/positions')).body.clob).toEqual([]);
    faults.arm('retrying-then-confirmed', { times: 1 });
    const retried = await place(fok(5_000_000));
    await eventually(async () => expect(await statusOf(retried.body.order.id)).toBe('CONFIRMED'));
    const [{ tokensBalance }] = (await signed('GET', '/portfolio/positions')).body.clob;
    expect(tokensBalance.yes).toBe(retried.body.execution.totalsRaw.contractsNet);
  });

  it('holds a taker in a market with a delay, and matches it afterwards', async () => {
    // they are listed by their ends, and one that is about to end offers little
    const window = world.open.exchange.markets().findLast(({ takerDelayMs }) => takerDelayMs > 0);
    if (window === undefined) throw new Error('no window holds its takers');
    market = window;
    const held = await place({
      ...fok(2_000_000),
      order: {
        price: undefined,
        makerAmount: 2_000_000,
        takerAmount: 1,
        tokenId: window.tokens[1],
      },
    });
    expect(held.body.execution).toMatchObject({
      matched: false,
      settlementStatus: 'DELAYED',
      eligibleAt: expect.any(String),
    });
    await eventually(() =>
      expect(world.open.exchange.order(held.body.order.id)?.status).toBe('MATCHED'),
    );
  });

  it('cancels no order that is held', async () => {
    const clock = createHeldClock(createWallClock());
    await anew({ clock });
    world.shared.faults.arm('delayed-then-matched', { times: 1, delayMs: HELD_MS });
    const held = await place(fok(2_000_000));
    expect((await signed('DELETE', `/orders/${held.body.order.id}`)).body.message).toBe(
      'Order is delayed',
    );
    clock.letGo();
    await eventually(() =>
      expect(world.open.exchange.order(held.body.order.id)?.status).toBe('MATCHED'),
    );
  });

  it('cancels the older of two own orders that meet', async () => {
    await anew({ makers: false }); // whose quotes would meet one of the two
    const [, no] = market.tokens;
    const half = { makerAmount: 5_000_000, takerAmount: 10_000_000, price: 0.5 };
    const older = await place({ order: { ...half, tokenId: no } });
    const newer = await place({ order: half });
    expect(newer.body.stpMakerCancels).toEqual([{ orderId: older.body.order.id }]);
    expect(newer.body.execution.settlementStatus).toBe('UNMATCHED');
    expect(world.open.exchange.order(older.body.order.id)?.status).toBe('CANCELED');
  });

  it('answers 425 in both senses, 429 as a page of the edge, and loses an answer by name', async () => {
    const { faults } = world.shared;
    const stale = await place({ timestamp: Date.now() - 60_000, recvWindow: 5_000 });
    expect([stale.status, stale.body.message]).toEqual([
      425,
      'Request timestamp is outside of the recvWindow',
    ]);
    faults.arm('engine-restart');
    expect((await place()).body.message).toBe('Matching engine is not ready');
    faults.clearAll();
    faults.arm('stale-signature', { times: 1 });
    expect((await place()).status).toBe(401);
    faults.arm('rate-limited-html', { times: 1 });
    await expect(place()).rejects.toThrow(/JSON/);
    faults.arm('lost-ack', { times: 1 });
    await expect(place({ clientOrderId: 'lost' })).rejects.toThrow('fetch failed');
    expect((await place({ clientOrderId: 'lost' })).status).toBe(409);
  });

  it('goes on with open orders, balances and tokens after a stop', async () => {
    const resting = await place({ clientOrderId: 'kept' });
    const bought = await place(fok(5_000_000));
    const shares = Number(bought.body.execution.totalsRaw.contractsNet);
    await eventually(() =>
      expect(world.open.exchange.trade(bought.body.execution.tradeEventId)?.status).toBe(
        'CONFIRMED',
      ),
    );
    await world.close();
    world = await startPoolWorld({ dataDir: folder, foundedAtMs: market.createdAtMs });
    const rows = (await signed('GET', `/markets/${market.slug}/user-orders`)).body;
    expect(rows).toMatchObject([{ id: resting.body.order.id, status: 'LIVE' }]);
    const [{ tokensBalance }] = (await signed('GET', '/portfolio/positions')).body.clob;
    expect(tokensBalance.yes).toBe(String(shares));
    expect((await place({ clientOrderId: 'kept' })).status).toBe(409);
    expect((await signed('DELETE', `/orders/${resting.body.order.id}`)).status).toBe(200);
  });
});

function questionOf({ open }: PoolWorld): VenueMarket {
  const found = open.exchange.markets().find(({ slug }) => slug.includes('film'));
  if (found === undefined) throw new Error('the question is not listed');
  return found;
}
