import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderId } from '../../../src/domain/ids.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { UserEvent } from '../../../src/ports/venue.ts';
import { aLevel } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import type { TradingUnderTest } from './fixture.ts';
import { ordersAt } from './fixture.ts';

/** Of a venue that lists no trades. */
const NO_LIST = { read: [], unread: 0 };

/**
 * What trading at every venue does; the same facts over sockets, over models, and over a venue in
 * memory.
 */
export function tradingContract(name: string, start: () => Promise<TradingUnderTest>): void {
  describe(`${name} trades as every venue does`, () => {
    let venue: TradingUnderTest;
    let orders: ReturnType<typeof ordersAt>;
    const gateway = () => venue.trading.gateway;
    const token = (outcome: 0 | 1 = 0) => venue.market.outcomes[outcome].tokenId;
    const legsOf = async (orderId: OrderId) =>
      (await orders.fillsOf(orderId)).flatMap(({ legs }) => legs);
    const open = async () => (await gateway().openOrders(venue.userId)).read;

    beforeAll(async () => {
      venue = await start();
      orders = ordersAt(venue);
      await venue.accounts.open(venue.userId);
    });
    afterAll(() => venue.close());

    it('opens an account again and again, and shows its collateral and its deposit', async () => {
      await venue.accounts.open(venue.userId);
      expect(await venue.accounts.collateral(venue.userId)).toBe(1_000_000_000);
      const deposits = await venue.accounts.deposits(venue.userId, 0);
      expect(deposits).toEqual([
        { depositId: expect.any(String), usdc: 1_000_000_000, atMs: expect.any(Number) },
      ]);
    });

    it('tells of no deposit that is older than it is asked for', async () => {
      const [deposit] = await venue.accounts.deposits(venue.userId, 0);
      const after = (deposit?.atMs ?? 0) + 60_000;
      expect(await venue.accounts.deposits(venue.userId, after)).toEqual([]);
    });

    it('signs the same intent with the same preparation to the same bytes, named alike', async () => {
      const { signer } = venue.trading;
      const { intent } = await orders.rest(10, 2_000);
      const prepared = await orders.prepare(intent);
      expect(signer.sign(intent, prepared)).toEqual(signer.sign(intent, prepared));
      const kept: typeof prepared = JSON.parse(JSON.stringify(prepared));
      expect(signer.sign(intent, kept)).toEqual(signer.sign(intent, prepared));
    });

    it('L1: names every attempt anew, also of an intent that is signed once more', async () => {
      const { signer } = venue.trading;
      const { intent, attempt } = await orders.rest(10, 2_000);
      const again = signer.sign(intent, await orders.prepare(intent));
      const other = (await orders.rest(10, 2_000)).attempt;
      expect(new Set([attempt, again, other].map(({ attemptId }) => attemptId)).size).toBe(3);
    });

    it('says that an order it never saw is absent', async () => {
      expect((await gateway().lookup(await orders.rest(10, 2_000))).kind).toBe('absent');
    });

    it('L6: sends nothing that is not given leave at the last moment', async () => {
      const order = await orders.rest(10, 2_000);
      const { signal } = new AbortController();
      const outcome = await gateway().submit(order, { signal, isGiven: () => false });
      expect([outcome.kind, (await gateway().lookup(order)).kind]).toEqual(['deferred', 'absent']);
    });

    it('matches an order at once and tells its legs at the exact prices of the makers, of either outcome', async () => {
      venue.quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
      venue.quote({ tokenId: token(1), side: 'buy', price: 4_900, shares: 100 });
      const asks = [aLevel(5_000, 10), aLevel(5_100, 100)];
      const { orderId, status, order } = await orders.taken(
        await orders.now('buy', 20, 5_100, 'all_now', asks),
      );
      expect(status).toBe('matched');
      expect(await legsOf(orderId)).toEqual([
        { shares: 10_000_000, price: 5_000 },
        { shares: 10_000_000, price: 5_100 },
      ]);
      for (const fill of await orders.fillsOf(orderId))
        expect(fill).toMatchObject({
          role: 'taker',
          side: 'buy',
          tokenId: token(),
          marketId: venue.market.marketId,
        });
      expect(await gateway().lookup(order)).toMatchObject({
        kind: 'found',
        order: { orderId, status: 'matched', matchedShares: 20_000_000, reason: null },
      });
    });

    it('settles a trade in the end, with a fee no larger than what was to be set aside', async () => {
      const { rules } = venue.trading;
      venue.quote({ tokenId: token(), side: 'sell', price: 5_000, shares: 10 });
      const order = await orders.now('buy', 10, 5_000);
      const { orderId } = await orders.taken(order);
      await eventually(async () => {
        const words = (await orders.fillsOf(orderId)).map(({ word }) => word);
        expect(new Set(words)).toEqual(new Set(['confirmed']));
      });
      const fills = await orders.fillsOf(orderId);
      const worked = fills.flatMap(({ fee, legs, role }) =>
        fee === null ? [rules.feeOf(venue.market, legs, role)] : [],
      );
      const stated = fills.map(({ fee }) => (fee?.unit === 'cash' ? fee.micros : 0));
      const inShares = fills.map(({ fee }) => (fee?.unit === 'shares' ? fee.micros : 0));
      const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
      expect(sum(worked) + sum(stated)).toBeLessThanOrEqual(
        rules.worstFee(venue.market, order.intent.spendMicros, order.intent.price),
      );
      expect(sum(worked) + sum(stated) + sum(inShares)).toBeGreaterThan(0);
    });

    it('sells shares that were bought, for the money a fill says', async () => {
      const before = await venue.accounts.collateral(venue.userId);
      venue.quote({ tokenId: token(), side: 'buy', price: 4_000, shares: 10 });
      const { orderId } = await orders.taken(await orders.now('sell', 10, 4_000));
      expect(await legsOf(orderId)).toEqual([{ shares: 10_000_000, price: 4_000 }]);
      const [fill] = await orders.fillsOf(orderId);
      const fee =
        (fill?.fee ?? null) === null && fill !== undefined
          ? venue.trading.rules.feeOf(venue.market, fill.legs, fill.role)
          : (fill?.fee?.micros ?? 0);
      await eventually(async () =>
        expect(await venue.accounts.collateral(venue.userId)).toBe(before + 4_000_000 - fee),
      );
    });

    it('ends an order for all or nothing that finds too little, and takes nothing of it', async () => {
      venue.quote({ tokenId: token(), side: 'sell', price: 3_000, shares: 5 });
      const order = await orders.now('buy', 10, 3_000);
      expect(await gateway().submit(order)).toEqual({
        kind: 'unfilled',
        reason: expect.any(String),
      });
      expect(await open()).toEqual([]);
    });

    it('takes what is to be had for an order that wants that, and ends the rest', async () => {
      const { orderId, status } = await orders.taken(
        await orders.now('buy', 10, 3_000, 'part_now'),
      );
      expect(status).toBe('matched');
      expect(await legsOf(orderId)).toEqual([{ shares: 5_000_000, price: 3_000 }]);
      expect(await open()).toEqual([]);
    });

    it('rests an order, lists it, cancels it once, and concludes nothing from a second cancel', async () => {
      const { orderId, status, order } = await orders.taken(await orders.rest(10, 2_000));
      expect(status).toBe('live');
      const live = { orderId, status: 'live', matchedShares: 0, reason: null };
      expect(await gateway().openOrders(venue.userId)).toEqual({ read: [live], unread: 0 });
      expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
      expect((await gateway().cancel(order)).kind).toBe('unclear');
      expect(await gateway().lookup(order)).toMatchObject({
        kind: 'found',
        order: { status: 'cancelled', matchedShares: 0 },
      });
      expect(await open()).toEqual([]);
    });

    it('rests an order that ends by itself at a moment of ours', async () => {
      const endsAtMs = venue.clock.nowMs() + 1_800_000;
      const { status, order } = await orders.taken(await orders.rest(10, 2_100, endsAtMs));
      expect([status, (await open()).length]).toEqual(['live', 1]);
      expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
    });

    it('finds and cancels an order by what was fixed before it left, its answer lost', async () => {
      const order = await orders.rest(10, 2_000);
      await gateway().submit(order);
      const found = await gateway().lookup(order);
      expect(found).toMatchObject({ kind: 'found', order: { status: 'live' } });
      expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
    });

    it('L1: knows the same bytes when they come again, also after the order has ended', async () => {
      const { order } = await orders.taken(await orders.rest(5, 1_500));
      expect(await gateway().submit(order)).toEqual({ kind: 'duplicate' });
      await gateway().cancel(order);
      expect(await gateway().submit(order)).toEqual({ kind: 'duplicate' });
      expect(await open()).toEqual([]);
    });

    it('tells a fill at our own price when a buyer of the other outcome meets our order', async () => {
      const { orderId } = await orders.taken(await orders.rest(20, 4_800));
      venue.take({ tokenId: token(1), side: 'buy', price: 5_200, shares: 20 });
      const [fill] = await orders.fillsOf(orderId);
      expect(fill).toMatchObject({
        role: 'maker',
        side: 'buy',
        tokenId: token(),
        legs: [{ shares: 20_000_000, price: 4_800 }],
      });
    });

    it('goes on resting with what is left of an order, and says how much was matched when it ends', async () => {
      const { orderId, order } = await orders.taken(await orders.rest(20, 4_600));
      venue.take({ tokenId: token(), side: 'sell', price: 4_600, shares: 8 });
      expect(await open()).toMatchObject([{ orderId, status: 'live', matchedShares: 8_000_000 }]);
      expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
      expect(await gateway().lookup(order)).toMatchObject({
        kind: 'found',
        order: { status: 'cancelled', matchedShares: 8_000_000 },
      });
      expect(await legsOf(orderId)).toEqual([{ shares: 8_000_000, price: 4_600 }]);
    });

    it('tells no trade that is older than it is asked for', async () => {
      const all = await orders.trades();
      const newest = Math.max(...all.map(({ matchedAtMs }) => matchedAtMs));
      const later = (await gateway().fills?.(venue.userId, newest + 60_000)) ?? NO_LIST;
      expect([all.length > 0, later]).toEqual([true, { read: [], unread: 0 }]);
    });

    it('L4: names each part of each trade once', async () => {
      const trades = await orders.trades();
      const names = trades.map(({ tradeId, orderId }) => `${tradeId} ${orderId}`);
      expect(new Set(names).size).toBe(names.length);
    });

    it('tells orders and fills as they happen, up to the last word of settlement', async () => {
      const events: UserEvent[] = [];
      const stop = gateway().watch(venue.userId, {
        next: (event) => events.push(event),
        error: (cause) => expect.unreachable(String(cause)),
      });
      await eventually(() => expect(events[0]).toEqual({ kind: 'connected' }));
      await eventually(async () => {
        // The channel may take a moment to know us: what happens before is for the re-read.
        if (!events.some(({ kind }) => kind === 'order'))
          await gateway().cancel((await orders.taken(await orders.rest(5, 1_000))).order);
        expect(events.some(({ kind }) => kind === 'order')).toBe(true);
      });
      const { orderId } = await orders.taken(await orders.rest(10, 4_700));
      venue.take({ tokenId: token(), side: 'sell', price: 4_700, shares: 10 });
      const ours = () =>
        events.flatMap((event) =>
          event.kind === 'fill' && event.fill.orderId === orderId ? [event.fill] : [],
        );
      if (gateway().fills !== null) {
        await eventually(() => expect(ours().map(({ word }) => word)).toContain('confirmed'));
        expect(ours()[0]).toMatchObject({
          role: 'maker',
          side: 'buy',
          word: 'matched',
          legs: [{ shares: 10_000_000, price: 4_700 }],
        });
      }
      for (const [status, matchedShares] of [
        ['live', 0],
        ['matched', 10_000_000],
      ] as const)
        await eventually(() =>
          expect(events).toContainEqual({
            kind: 'order',
            order: { orderId, status, matchedShares, reason: null },
          }),
        );
      stop();
      const heard = events.length;
      await gateway().cancel((await orders.taken(await orders.rest(5, 1_000))).order);
      expect(events.length).toBe(heard);
    });

    it('refuses an order below the smallest size with a reason, and keeps nothing of it', async () => {
      const { intent } = await orders.rest(10, 2_000);
      const small = { ...intent, spendMicros: 200_000, receiveMicros: 1_000_000 };
      expect(await gateway().submit(await orders.sign(small))).toEqual({
        kind: 'rejected',
        reason: expect.any(String),
      });
      expect(await open()).toEqual([]);
    });

    it('keeps to a worst price that is on the tick', async () => {
      const { intent } = await orders.now('buy', 10, 5_500);
      expect([intent.price <= priceTicks(5_500), intent.price % venue.market.tickSize]).toEqual([
        true,
        0,
      ]);
    });
  });
}
