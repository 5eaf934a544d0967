import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { HELD_MS } from '../../support/clocks/held-clock.ts';
import { createVenueA } from '../../../src/venues/venue-a/adapter.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId } from '../../../src/domain/ids.ts';
import { limitAmounts, marketAmounts } from '../../../src/venues/venue-a/orders/amounts.ts';
import type { OrderIntent, OrderHandle } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import type { BookChange } from '../../../src/ports/venue-books.ts';
import type { FaultName } from '../../../src/sandbox/faults.ts';
import {
  silentMetrics,
  startWireVenue,
  type WireVenue,
} from '../../support/fixtures/wire-venue.ts';
import { handleOf } from '../../support/attempts.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

let wire: WireVenue;
let salt = 0;

beforeEach(async () => {
  wire = await startWireVenue();
  await wire.accounts.open(wire.userId);
});
afterEach(() => wire.close());

function anOrder(change: Partial<OrderIntent> = {}): OrderHandle {
  salt += 1;
  const nowMs = wire.clock.nowMs();
  const intent: OrderIntent = {
    intentId: asId(`int_${salt}`),
    userId: wire.userId,
    venue: VENUE_A,
    cashAccount: 'usdc:safe',
    origin: { kind: 'manual' },
    marketId: wire.marketId,
    tokenId: wire.tokens[0],
    outcome: 0,
    side: 'buy',
    life: 'rests',
    exact: 'receive',
    price: priceTicks(4_000),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 1_800_000,
    sendUntilMs: nowMs + 5_000,
    ...limitAmounts({
      side: 'buy',
      price: priceTicks(4_000),
      shares: shareMicros(10_000_000),
      tick: priceTicks(100),
    }),
    ...change,
  };
  return handleOf(intent, wire.signer.sign(intent, { salt, timestampMs: nowMs, negRisk: false }));
}

const aMarketBuy = (): OrderHandle =>
  anOrder({
    life: 'all_now',
    exact: 'spend',
    price: priceTicks(5_000),
    expiresAtMs: null,
    ...marketAmounts({
      side: 'buy',
      price: priceTicks(5_000),
      usdc: usdcMicros(5_000_000),
      tick: priceTicks(100),
    }),
  });
const submit = (order: OrderHandle) => wire.orders.submit(order);
const lookup = (order: OrderHandle) => wire.orders.lookup(order);
const arm = (
  name: FaultName,
  rule: Parameters<WireVenue['fixture']['faults']['arm']>[1] = { times: 1 },
) => wire.fixture.faults.arm(name, rule);

describe('L2: a submission', () => {
  it('lost-ack: is unknown, and found by its id', async () => {
    arm('lost-ack');
    const order = anOrder();
    expect((await submit(order)).kind).toBe('unknown');
    expect(await lookup(order)).toMatchObject({ kind: 'found', order: { status: 'live' } });
  });

  it('late-ack: is unknown when the caller gives up waiting, and found by its id', async () => {
    arm('late-ack', { times: 1, delayMs: HELD_MS });
    const order = anOrder();
    const giveUp = new AbortController();
    const outcome = wire.orders.submit(order, {
      signal: giveUp.signal,
      isGranted: () => true,
    });
    await eventually(async () => expect((await lookup(order)).kind).toBe('found'));
    giveUp.abort();
    expect((await outcome).kind).toBe('unknown');
  });

  it('refused-silently: is unknown, absent by its id, and the same bytes are taken the next time', async () => {
    arm('refused-silently');
    const order = anOrder();
    expect((await submit(order)).kind).toBe('unknown');
    expect(await lookup(order)).toEqual({ kind: 'absent', proof: null });
    expect((await submit(order)).kind).toBe('accepted');
  });

  it('late-book: is unknown and absent at first, and adopted by its id later', async () => {
    arm('late-book', { times: 1, delayMs: HELD_MS });
    const order = anOrder();
    expect((await submit(order)).kind).toBe('unknown');
    expect(await lookup(order)).toEqual({ kind: 'absent', proof: null });
    wire.fixture.letGo();
    expect(await lookup(order)).toMatchObject({ kind: 'found', order: { status: 'live' } });
  });

  it('retry-duplicated: is a duplicate, neither success nor failure', async () => {
    arm('retry-duplicated');
    expect(await submit(anOrder())).toEqual({ kind: 'duplicate' });
  });

  it('success-without-id: is rejected with the text', async () => {
    arm('success-without-id');
    expect(await submit(anOrder())).toEqual({ kind: 'rejected', reason: 'could not insert order' });
  });

  it('engine-restart: is unknown on 425', async () => {
    arm('engine-restart');
    expect(await submit(anOrder())).toEqual({
      kind: 'unknown',
      cause: 'answered 425 service not ready',
    });
  });

  it('bad-gateway: is unknown on an HTML 502', async () => {
    arm('bad-gateway');
    expect((await submit(anOrder())).kind).toBe('unknown');
  });

  it.each(['rate-limited', 'rate-limited-html'] as const)(
    '%s: is deferred for as long as the venue says',
    async (name) => {
      arm(name, { times: 1, delayMs: 3_000 });
      expect(await submit(anOrder())).toMatchObject({ kind: 'deferred', retryAfterMs: 3_000 });
    },
  );

  it('post-only-window: a marketable order is deferred, cancels go through', async () => {
    const resting = anOrder();
    await submit(resting);
    arm('post-only-window', { delayMs: 79_000 });
    expect(await submit(aMarketBuy())).toMatchObject({ kind: 'deferred', retryAfterMs: 79_000 });
    expect(await wire.orders.cancel(resting)).toEqual({ kind: 'cancelled' });
  });

  it.each(['cancel-only', 'trading-disabled'] as const)('%s: is deferred', async (name) => {
    arm(name);
    expect((await submit(anOrder())).kind).toBe('deferred');
  });

  it('geoblocked: is distinguished from a refusal of the order, and data and cancels go on', async () => {
    const resting = anOrder();
    await submit(resting);
    arm('geoblocked');
    expect(await submit(anOrder())).toEqual({
      kind: 'restricted',
      reason: expect.stringContaining('restricted in your region'),
    });
    expect((await wire.books.snapshot(wire.tokens[0]))?.tokenId).toBe(wire.tokens[0]);
    expect(await wire.orders.cancel(resting)).toEqual({ kind: 'cancelled' });
  });

  it('geoblocked: the website says so while it lasts, and that it is over afterwards', async () => {
    expect(await wire.venue.region.isBlocked()).toBe(false);
    arm('geoblocked');
    expect([await wire.venue.region.isBlocked(), await wire.venue.region.isBlocked()]).toEqual([
      true,
      true,
    ]);
    wire.fixture.faults.clear('geoblocked');
    expect(await wire.venue.region.isBlocked()).toBe(false);
  });

  it('order-version-mismatch: is sent once, without a loop, and distinguished from a refusal for good where the venue takes that version still', async () => {
    arm('order-version-mismatch');
    expect(await submit(anOrder())).toEqual({
      kind: 'reissue',
      reason: 'order_version_mismatch; asked again, the venue takes version 2, as this order was',
    });
  });

  it('delayed-then-matched: is delayed, cannot be cancelled meanwhile, and matches', async () => {
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 5_000, shares: 100 });
    arm('delayed-then-matched', { times: 1, delayMs: HELD_MS });
    const order = aMarketBuy();
    expect(await submit(order)).toMatchObject({ kind: 'accepted', status: 'delayed' });
    expect((await wire.orders.cancel(order)).kind).toBe('refused');
    wire.fixture.letGo();
    expect(await lookup(order)).toMatchObject({ kind: 'found', order: { status: 'matched' } });
  });

  it('balance-cache-stale: makes the venue read again once, then believes it', async () => {
    arm('balance-cache-stale', {});
    wire.fixture.exchange.deposit(wire.funder, usdcMicros(5_000_000_000));
    const large = {
      ...limitAmounts({
        side: 'buy',
        price: priceTicks(4_000),
        shares: shareMicros(5_000_000_000),
        tick: priceTicks(100),
      }),
    };
    const order = anOrder(large);
    expect(await submit(order)).toMatchObject({
      kind: 'deferred',
      reason: expect.stringContaining('not enough balance'),
    });
    expect(await submit(order)).toMatchObject({ kind: 'accepted' });
    const tooLarge = anOrder({
      ...limitAmounts({
        side: 'buy',
        price: priceTicks(4_000),
        shares: shareMicros(50_000_000_000),
        tick: priceTicks(100),
      }),
    });
    expect(await submit(tooLarge)).toMatchObject({ kind: 'deferred' });
    expect(await submit(tooLarge)).toMatchObject({
      kind: 'underfunded',
      reason: expect.stringContaining('not enough balance'),
    });
  });

  it('allowance-missing: makes the venue read again once, then says that it is an allowance that lacks', async () => {
    arm('allowance-missing', {});
    const order = anOrder();
    expect(await submit(order)).toMatchObject({
      kind: 'deferred',
      reason: expect.stringContaining('the allowance is not enough'),
    });
    expect(await submit(order)).toMatchObject({
      kind: 'underfunded',
      lacksAllowance: true,
      reason: expect.stringContaining(
        'the allowance is not enough -> spender: 0xE111180000d2663C0091e4f400237545B87B996B, allowance: 0',
      ),
    });
    expect(await lookup(order)).toEqual({ kind: 'absent', proof: null });
  });

  it('is deferred when no server listens at the venue: nothing was written', async () => {
    const order = anOrder();
    const { rest } = wire.fixture;
    await wire.fixture.close();
    expect(await submit(order), rest).toMatchObject({ kind: 'deferred' });
    expect(await lookup(order)).toMatchObject({ kind: 'unreachable' });
    wire = await startWireVenue();
  });
});

describe('L2: a cancel', () => {
  it('cancel-already-gone: concludes nothing for an order that is still live', async () => {
    const order = anOrder();
    await submit(order);
    arm('cancel-already-gone');
    expect((await wire.orders.cancel(order)).kind).toBe('unclear');
    expect(await lookup(order)).toMatchObject({ order: { status: 'live' } });
  });

  it('reason-suffix: a cancelled order keeps the venue reason', async () => {
    arm('reason-suffix', {});
    const order = anOrder();
    await submit(order);
    await wire.orders.cancel(order);
    expect(await lookup(order)).toMatchObject({
      kind: 'found',
      order: { status: 'cancelled', reason: expect.any(String) },
    });
  });
});

describe('L3: fills', () => {
  const wordsOf = async (order: OrderHandle) =>
    (await wire.orders.fills(wire.userId, 0)).read
      .filter(({ orderId }) => orderId === order.attempt.orderId)
      .map(({ word }) => word);

  it('ghost-fill: ends as failed', async () => {
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 5_000, shares: 100 });
    arm('ghost-fill', {});
    const order = aMarketBuy();
    await submit(order);
    await eventually(async () => expect(await wordsOf(order)).toEqual(['failed']));
  });

  it('split-match: comes as several trades of one order', async () => {
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 4_900, shares: 5 });
    wire.quote({ tokenId: wire.tokens[0], side: 'sell', price: 5_000, shares: 100 });
    arm('split-match', {});
    const order = aMarketBuy();
    await submit(order);
    const fills = (await wire.orders.fills(wire.userId, 0)).read.filter(
      ({ orderId }) => orderId === order.attempt.orderId,
    );
    expect(new Set(fills.map(({ tradeId }) => tradeId)).size).toBe(4);
    expect(fills.flatMap(({ legs }) => legs).sort((a, b) => a.price - b.price)).toEqual([
      { shares: 2_500_000, price: 4_900 },
      { shares: 2_500_000, price: 4_900 },
      { shares: 2_550_000, price: 5_000 },
      { shares: 2_550_000, price: 5_000 },
    ]);
  });
});

describe('the sockets', () => {
  it('user: tells its loss as retryable and says nothing after it', async () => {
    const errors: unknown[] = [];
    const events: UserEvent[] = [];
    wire.orders.watch(wire.userId, {
      next: (event) => events.push(event),
      error: (cause) => errors.push(cause),
    });
    await eventually(() => expect(events).toHaveLength(1));
    arm('socket-dropped');
    await eventually(async () => {
      await submit(anOrder());
      expect(errors).toHaveLength(1);
    });
    const heard = events.length;
    await submit(anOrder());
    expect(events).toHaveLength(heard);
    await eventually(() =>
      expect(errors).toEqual([
        expect.objectContaining({ code: 'venue_unavailable', retryable: true }),
      ]),
    );
  });

  it('gap: a lost frame is found by the stated best prices, and a fetched book cures it', async () => {
    const changes: BookChange[] = [];
    const watch = wire.books.watch(wire.tokens, {
      next: (change) => changes.push(change),
      error: () => undefined,
    });
    await eventually(() => expect(watch.book(wire.tokens[0])?.fault).toBeNull());
    arm('gap');
    wire.quote({ tokenId: wire.tokens[0], side: 'buy', price: 4_000, shares: 10 });
    await eventually(() => expect(wire.fixture.faults.isArmed('gap')).toBe(false));
    wire.quote({ tokenId: wire.tokens[0], side: 'buy', price: 3_000, shares: 10 });
    await eventually(() => expect(watch.book(wire.tokens[0])?.fault).toBe('gap'));
    const fetched = await wire.books.snapshot(wire.tokens[0]);
    expect(fetched !== null && watch.replace(fetched)).toBe(true);
    expect([
      watch.book(wire.tokens[0])?.fault,
      watch.book(wire.tokens[0])?.bestBid,
      watch.book(wire.tokens[0])?.epoch,
    ]).toEqual([null, 4_000, 2]);
    watch.stop();
  });

  it('non-json-frame and zero-price-level: are dropped without a doubt', async () => {
    const watch = wire.books.watch(wire.tokens, { next: () => undefined, error: () => undefined });
    await eventually(() => expect(watch.book(wire.tokens[0])?.fault).toBeNull());
    arm('non-json-frame');
    arm('zero-price-level');
    wire.quote({ tokenId: wire.tokens[0], side: 'buy', price: 4_000, shares: 10 });
    await eventually(() => expect(watch.book(wire.tokens[0])?.bestBid).toBe(4_000));
    expect(watch.book(wire.tokens[0])?.fault).toBeNull();
    watch.stop();
  });

  it('refuse more tokens than one socket carries', () => {
    const many = Array.from({ length: 201 }, (_, index) =>
      asId<(typeof wire.tokens)[0]>(String(index)),
    );
    expect(() =>
      wire.books.watch(many, { next: () => undefined, error: () => undefined }),
    ).toThrowError(expect.objectContaining({ code: 'limit_reached' }));
  });
});

describe('accounts', () => {
  it('L12: survive a restart by their sealed credentials, which do not show the secret', async () => {
    const sealed = wire.records.get(wire.userId) ?? '';
    expect(sealed).toMatch(/^v2\./);
    const keccak = await loadKeccak();
    const restarted = createVenueA({
      vault: wire.vault,
      keccak,
      clock: wire.clock,
      records: wire.records,
      metrics: silentMetrics,
      funderOf: () => wire.funder,
      config: {
        clobRest: 'http://127.0.0.1:9',
        clobMarketSocket: 'ws://127.0.0.1:9',
        clobUserSocket: 'ws://127.0.0.1:9',
        gamma: 'http://127.0.0.1:9',
        dataApi: 'http://127.0.0.1:9',
        site: 'http://127.0.0.1:9',
        chainId: 137,
        signatureType: 2,
      },
    });
    expect(restarted.ownerOf(wire.userId)).toBe(wire.venue.ownerOf(wire.userId));
    await restarted.close();
  });

  it('derive the same credentials when the record store was lost', async () => {
    const before = wire.venue.ownerOf(wire.userId);
    const keccak = await loadKeccak();
    const records = new Map<string, string>();
    const other = createVenueA({
      vault: wire.vault,
      keccak,
      clock: wire.clock,
      metrics: silentMetrics,
      funderOf: () => wire.funder,
      records: {
        get: (user) => records.get(user) ?? null,
        put: async (user, text) => void records.set(user, text),
      },
      config: {
        clobRest: wire.fixture.rest,
        clobMarketSocket: wire.fixture.sockets.marketUrl,
        clobUserSocket: wire.fixture.sockets.userUrl,
        gamma: wire.fixture.rest,
        dataApi: wire.fixture.data,
        site: wire.fixture.site,
        chainId: 137,
        signatureType: 2,
      },
    });
    await other.accounts.open(wire.userId);
    expect(other.ownerOf(wire.userId)).toBe(before);
    await other.close();
  });

  it('say what is missing before they are open', () => {
    expect(() => wire.venue.ownerOf(asId('usr_unknown'))).toThrowError(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});
