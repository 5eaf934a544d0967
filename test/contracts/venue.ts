import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { MarketId, OrderId, TokenId, UserId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import type { VenueFill } from '../../src/domain/fill.ts';
import { limitAmounts, marketAmounts } from '../../src/venues/venue-a/amounts.ts';
import type { ImmediateLife, OrderIntent, TradeSide } from '../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../src/domain/units.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { OrderSigner } from '../../src/ports/order-signer.ts';
import type {
  BookChange,
  BookSource,
  OrderGateway,
  UserEvent,
  VenueAccounts,
} from '../../src/ports/venue.ts';
import { anAttempt, handleOf, orderIdOf } from '../support/attempts.ts';

/** A venue with one open market of tick 0.01, and hands on its world. */
export interface VenueUnderTest {
  readonly orders: OrderGateway;
  readonly accounts: VenueAccounts;
  readonly books: BookSource;
  readonly signer: OrderSigner;
  readonly clock: Clock;
  /** Holds 1 000 USDC in one deposit and no shares. */
  readonly userId: UserId;
  readonly marketId: MarketId;
  readonly tokens: readonly [TokenId, TokenId];
  /** Somebody else rests an order. */
  quote(order: HouseOrder): void;
  /** Somebody else takes what rests, at most to that price. */
  take(order: HouseOrder): void;
  close(): Promise<void>;
}

/** An order of somebody else: ticks and whole shares. */
export interface HouseOrder {
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly price: number;
  readonly shares: number;
}

const UNKNOWN_ORDER = asId<OrderId>(`0x${'0d'.repeat(32)}`);
const CENT = priceTicks(100);

/** What every venue behind the ports does; the same suite runs over the wire and over models. */
export function venueContract(name: string, makeVenue: () => Promise<VenueUnderTest>): void {
  describe(`${name} keeps the venue contract`, () => {
    let venue: VenueUnderTest;
    let salt = 0;

    beforeAll(async () => {
      venue = await makeVenue();
      await venue.accounts.open(venue.userId);
    });
    afterAll(() => venue.close());

    const anIntent = (
      change: Partial<OrderIntent> & Pick<OrderIntent, 'spendMicros' | 'receiveMicros'>,
    ): OrderIntent => ({
      intentId: asId(`int_${(salt += 1)}`),
      userId: venue.userId,
      venue: 'venue_a',
      cashAccount: 'usdc:safe',
      origin: { kind: 'manual' },
      marketId: venue.marketId,
      tokenId: venue.tokens[0],
      outcome: 0,
      side: 'buy',
      life: 'all_now',
      price: priceTicks(5_000),
      exact: 'spend',
      createdAtMs: venue.clock.nowMs(),
      expiresAtMs: null,
      sendUntilMs: venue.clock.nowMs() + 5_000,
      ...change,
    });
    const sign = (intent: OrderIntent) => {
      const timestampMs = intent.createdAtMs;
      const extra = { salt: 7_000_000 + salt, timestampMs, negRisk: false };
      const order = handleOf(intent, venue.signer.sign(intent, extra));
      return { ...order, orderId: orderIdOf({ attempts: [order.attempt] }) };
    };
    const buy = (usdc: number, price: number, life: ImmediateLife = 'all_now') =>
      sign(
        anIntent({
          life,
          price: priceTicks(price),
          ...marketAmounts({
            side: 'buy',
            price: priceTicks(price),
            usdc: usdcMicros(usdc * 1_000_000),
            tick: CENT,
          }),
        }),
      );
    const rest = (shares: number, price: number) =>
      sign(
        anIntent({
          life: 'rests',
          exact: 'receive',
          price: priceTicks(price),
          expiresAtMs: venue.clock.nowMs() + 1_800_000,
          ...limitAmounts({
            side: 'buy',
            price: priceTicks(price),
            shares: shareMicros(shares * 1_000_000),
            tick: CENT,
          }),
        }),
      );
    const fillsOf = async (orderId: OrderId): Promise<readonly VenueFill[]> =>
      (await venue.orders.fills(venue.userId, 0)).read.filter((fill) => fill.orderId === orderId);

    it('opens an account again and again, and shows its collateral and its deposit', async () => {
      await venue.accounts.open(venue.userId);
      expect(await venue.accounts.collateral(venue.userId)).toBe(1_000_000_000);
      expect(await venue.accounts.deposits(venue.userId, 0)).toEqual([
        { depositId: expect.any(String), usdc: 1_000_000_000, atMs: expect.any(Number) },
      ]);
    });

    it('matches a market order, tells its legs at the exact prices of the makers, and settles it', async () => {
      venue.quote({ tokenId: venue.tokens[0], side: 'sell', price: 5_000, shares: 10 });
      venue.quote({ tokenId: venue.tokens[1], side: 'buy', price: 4_900, shares: 100 });
      const order = buy(10.1, 5_200);
      expect(await venue.orders.submit(order)).toEqual({
        kind: 'accepted',
        orderId: order.orderId,
        status: 'matched',
      });
      const fills = await fillsOf(order.orderId);
      expect(fills.flatMap(({ legs }) => legs)).toEqual([
        { shares: 10_000_000, price: 5_000 },
        { shares: 10_000_000, price: 5_100 },
      ]);
      expect(
        fills.map(({ role, side, tokenId, marketId }) => ({ role, side, tokenId, marketId })),
      ).toEqual(
        fills.map(() => ({
          role: 'taker',
          side: 'buy',
          tokenId: venue.tokens[0],
          marketId: venue.marketId,
        })),
      );
      expect(await venue.orders.lookup(order)).toEqual({
        kind: 'found',
        order: {
          orderId: order.orderId,
          status: 'matched',
          matchedShares: 20_000_000,
          reason: null,
        },
      });
      await eventually(async () =>
        expect(
          (await fillsOf(order.orderId)).map(({ word, transactionHash }) => [
            word,
            transactionHash === null,
          ]),
        ).toEqual(fills.map(() => ['confirmed', false])),
      );
    });

    it('kills a fill-or-kill that finds too little, in the venue words', async () => {
      const outcome = await venue.orders.submit(buy(500, 3_000));
      expect(outcome).toEqual({
        kind: 'unfilled',
        reason: expect.stringContaining('fully filled'),
      });
    });

    it('takes what is to be had for a fill-and-kill buy, and ends the rest', async () => {
      venue.quote({ tokenId: venue.tokens[0], side: 'sell', price: 3_000, shares: 5 });
      const order = buy(6, 3_000, 'part_now');
      expect(await venue.orders.submit(order)).toEqual({
        kind: 'accepted',
        orderId: order.orderId,
        status: 'matched',
      });
      expect((await fillsOf(order.orderId)).flatMap(({ legs }) => legs)).toEqual([
        { shares: 5_000_000, price: 3_000 },
      ]);
      expect((await venue.orders.openOrders(venue.userId)).read).toEqual([]);
    });

    it('rests an order without an expiry until it is cancelled', async () => {
      const price = priceTicks(2_100);
      const order = sign(
        anIntent({
          life: 'rests',
          exact: 'receive',
          price,
          expiresAtMs: null,
          ...limitAmounts({ side: 'buy', price, shares: shareMicros(10_000_000), tick: CENT }),
        }),
      );
      expect(await venue.orders.submit(order)).toEqual({
        kind: 'accepted',
        orderId: order.orderId,
        status: 'live',
      });
      expect((await venue.orders.openOrders(venue.userId)).read).toMatchObject([
        { orderId: order.orderId, status: 'live' },
      ]);
      expect(await venue.orders.cancel(order)).toEqual({ kind: 'cancelled' });
    });

    it('rests a limit order, lists it, cancels it once, and concludes nothing from a second cancel', async () => {
      const order = rest(10, 2_000);
      expect(await venue.orders.submit(order)).toEqual({
        kind: 'accepted',
        orderId: order.orderId,
        status: 'live',
      });
      expect(await venue.orders.openOrders(venue.userId)).toEqual({
        read: [{ orderId: order.orderId, status: 'live', matchedShares: 0, reason: null }],
        unread: 0,
      });
      expect(await venue.orders.cancel(order)).toEqual({ kind: 'cancelled' });
      expect((await venue.orders.cancel(order)).kind).toBe('unclear');
      expect(await venue.orders.lookup(order)).toMatchObject({
        kind: 'found',
        order: { status: 'cancelled', matchedShares: 0 },
      });
      expect(await venue.orders.openOrders(venue.userId)).toEqual({ read: [], unread: 0 });
    });

    it('says that an order it never saw is absent', async () => {
      expect(
        await venue.orders.lookup({ ...rest(1, 2_000), attempt: anAttempt(UNKNOWN_ORDER) }),
      ).toEqual({
        kind: 'absent',
        proof: null,
      });
    });

    it('L1: knows the same bytes when they come again, also after the order has ended', async () => {
      const order = rest(5, 1_500);
      await venue.orders.submit(order);
      expect(await venue.orders.submit(order)).toEqual({ kind: 'duplicate' });
      await venue.orders.cancel(order);
      expect(await venue.orders.submit(order)).toEqual({ kind: 'duplicate' });
    });

    it('refuses an order below the smallest size with the venue reason', async () => {
      expect(await venue.orders.submit(rest(3, 2_000))).toEqual({
        kind: 'rejected',
        reason: expect.stringContaining('lower than the minimum'),
      });
    });

    it('tells a maker fill at our own price when a buyer of the other outcome meets our order', async () => {
      const order = rest(20, 4_800);
      await venue.orders.submit(order);
      venue.take({ tokenId: venue.tokens[1], side: 'buy', price: 5_200, shares: 20 });
      const fills = await fillsOf(order.orderId);
      expect(fills.map(({ role, side, tokenId, legs }) => ({ role, side, tokenId, legs }))).toEqual(
        [
          {
            role: 'maker',
            side: 'buy',
            tokenId: venue.tokens[0],
            legs: [{ shares: 20_000_000, price: 4_800 }],
          },
        ],
      );
    });

    it('tells orders and fills on the user channel, up to the last word of settlement', async () => {
      const events: UserEvent[] = [];
      const stop = venue.orders.watch(venue.userId, {
        next: (event) => events.push(event),
        error: (cause) => expect.unreachable(String(cause)),
      });
      await eventually(() => expect(events).toContainEqual({ kind: 'connected' }));
      const order = rest(10, 4_700);
      await eventually(async () => {
        // The channel may take a moment to know us: what happens before is for the re-read.
        if (!events.some((event) => event.kind === 'order')) {
          const probe = rest(5, 1_000);
          await venue.orders.submit(probe);
          await venue.orders.cancel(probe);
        }
        expect(events.some((event) => event.kind === 'order')).toBe(true);
      });
      await venue.orders.submit(order);
      venue.take({ tokenId: venue.tokens[0], side: 'sell', price: 4_700, shares: 10 });
      const ours = () =>
        events.flatMap((event) =>
          event.kind === 'fill' && event.fill.orderId === order.orderId ? [event.fill] : [],
        );
      await eventually(() => expect(ours().map(({ word }) => word)).toContain('confirmed'));
      expect(ours()[0]).toMatchObject({
        role: 'maker',
        side: 'buy',
        word: 'matched',
        legs: [{ shares: 10_000_000, price: 4_700 }],
      });
      expect(events).toContainEqual({
        kind: 'order',
        order: { orderId: order.orderId, status: 'live', matchedShares: 0, reason: null },
      });
      expect(events).toContainEqual({
        kind: 'order',
        order: {
          orderId: order.orderId,
          status: 'matched',
          matchedShares: 10_000_000,
          reason: null,
        },
      });
      stop();
    });

    it('streams both books from a snapshot on, equal to the books by REST', async () => {
      const changes: BookChange[] = [];
      const watch = venue.books.watch(venue.tokens, {
        next: (change) => changes.push(change),
        error: (cause) => expect.unreachable(String(cause)),
      });
      await eventually(() =>
        expect(venue.tokens.map((token) => watch.book(token)?.fault)).toEqual([null, null]),
      );
      venue.quote({ tokenId: venue.tokens[0], side: 'buy', price: 3_300, shares: 42 });
      await eventually(() =>
        expect(watch.book(venue.tokens[0])?.view().bids).toContainEqual({
          price: 3_300,
          size: 42_000_000,
        }),
      );
      await eventually(() =>
        expect(watch.book(venue.tokens[1])?.view().asks).toContainEqual({
          price: 6_700,
          size: 42_000_000,
        }),
      );
      const bestFirst = (levels: readonly { readonly price: number }[], direction: 1 | -1) =>
        levels.toSorted((a, b) => direction * (a.price - b.price));
      for (const token of venue.tokens) {
        const snapshot = await venue.books.snapshot(token);
        const view = watch.book(token)?.view();
        expect([view?.marketId, view?.bids, view?.asks]).toEqual([
          snapshot?.marketId,
          bestFirst(snapshot?.bids ?? [], -1),
          bestFirst(snapshot?.asks ?? [], 1),
        ]);
      }
      expect(changes.every((change) => change.kind === 'book')).toBe(true);
      watch.stop();
    });

    it('has no book for a token of no market', async () => {
      expect(await venue.books.snapshot(asId('12345'))).toBeNull();
    });
  });
}
