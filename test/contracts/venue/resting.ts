import { expect, it } from 'vitest';
import type { OrderId } from '../../../src/domain/ids.ts';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import { eventually } from '../../support/eventually.ts';
import type { TradingFacts } from './trading.ts';

/** What a venue does that keeps the orders which rest there, and tells of them on a channel. */
export function restingFacts(facts: () => TradingFacts): void {
  const venue = () => facts().venue;
  const orders = () => facts().orders;
  const gateway = () => venue().trading.gateway;
  const token = (outcome: 0 | 1 = 0) => venue().market.outcomes[outcome].tokenId;
  const legsOf = async (orderId: OrderId) =>
    (await orders().fillsOf(orderId)).flatMap(({ legs }) => legs);
  const open = async () => (await gateway().openOrders(venue().userId)).read;

  it('ends an order for all or nothing that finds too little, and takes nothing of it', async () => {
    if (!venue().trading.traits.lives.includes('all_now')) return;
    venue().quote({ tokenId: token(), side: 'sell', price: 3_000, shares: 5 });
    const order = await orders().now('buy', 10, 3_000, 'all_now');
    expect(await gateway().submit(order)).toEqual({
      kind: 'unfilled',
      reason: expect.any(String),
    });
    expect(await open()).toEqual([]);
    await orders().taken(await orders().now('buy', 5, 3_000));
  });

  it('rests an order, lists it, cancels it once, and concludes nothing from a second cancel', async () => {
    const { orderId, status, order } = await orders().taken(await orders().rest(10, 2_000));
    expect(status).toBe('live');
    const live = { orderId, status: 'live', matchedShares: 0, reason: null };
    expect(await gateway().openOrders(venue().userId)).toEqual({ read: [live], unread: 0 });
    expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
    expect((await gateway().cancel(order)).kind).toBe('unclear');
    expect(await gateway().lookup(order)).toMatchObject({
      kind: 'found',
      order: { status: 'cancelled', matchedShares: 0 },
    });
    expect(await open()).toEqual([]);
  });

  it('rests an order that ends by itself at a stated moment', async () => {
    const endsAtMs = venue().clock.nowMs() + 1_800_000;
    const { status, order } = await orders().taken(await orders().rest(10, 2_100, endsAtMs));
    expect([status, (await open()).length]).toEqual(['live', 1]);
    expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
  });

  it('finds and cancels an order by what was fixed before it left, its answer lost', async () => {
    const order = await orders().rest(10, 2_000);
    await gateway().submit(order);
    const found = await gateway().lookup(order);
    expect(found).toMatchObject({ kind: 'found', order: { status: 'live' } });
    expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
  });

  it('L1: knows the same bytes when they come again, also after the order has ended', async () => {
    const { order } = await orders().taken(await orders().rest(5, 1_500));
    expect(await gateway().submit(order)).toEqual({ kind: 'duplicate' });
    await gateway().cancel(order);
    expect(await gateway().submit(order)).toEqual({ kind: 'duplicate' });
    expect(await open()).toEqual([]);
  });

  it('tells a fill at our own price when a buyer of the other outcome meets our order', async () => {
    const { orderId } = await orders().taken(await orders().rest(20, 4_800));
    venue().take({ tokenId: token(1), side: 'buy', price: 5_200, shares: 20 });
    const [fill] = await orders().fillsOf(orderId);
    expect(fill).toMatchObject({
      role: 'maker',
      side: 'buy',
      tokenId: token(),
      legs: [{ shares: 20_000_000, price: 4_800 }],
    });
  });

  it('goes on resting with what is left of an order, and says how much was matched when it ends', async () => {
    const { orderId, order } = await orders().taken(await orders().rest(20, 4_600));
    venue().take({ tokenId: token(), side: 'sell', price: 4_600, shares: 8 });
    expect(await open()).toMatchObject([{ orderId, status: 'live', matchedShares: 8_000_000 }]);
    expect(await gateway().cancel(order)).toEqual({ kind: 'cancelled' });
    expect(await gateway().lookup(order)).toMatchObject({
      kind: 'found',
      order: { status: 'cancelled', matchedShares: 8_000_000 },
    });
    expect(await legsOf(orderId)).toEqual([{ shares: 8_000_000, price: 4_600 }]);
  });

  it('tells orders and fills as they happen, up to the last status of settlement', async () => {
    const events: UserEvent[] = [];
    const stop = gateway().watch(venue().userId, {
      next: (event) => events.push(event),
      error: (cause) => expect.unreachable(String(cause)),
    });
    await eventually(() => expect(events[0]).toEqual({ kind: 'connected' }));
    await eventually(async () => {
      // The channel may take a moment to know us: what happens before is for the re-read.
      if (!events.some(({ kind }) => kind === 'order'))
        await gateway().cancel((await orders().taken(await orders().rest(5, 1_000))).order);
      expect(events.some(({ kind }) => kind === 'order')).toBe(true);
    });
    const { orderId } = await orders().taken(await orders().rest(10, 4_700));
    venue().take({ tokenId: token(), side: 'sell', price: 4_700, shares: 10 });
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
          order: expect.objectContaining({ orderId, status, matchedShares, reason: null }),
        }),
      );
    stop();
    const heard = events.length;
    await gateway().cancel((await orders().taken(await orders().rest(5, 1_000))).order);
    expect(events.length).toBe(heard);
  });

  it('refuses an order below the smallest size with a reason, and keeps nothing of it', async () => {
    const { intent } = await orders().rest(10, 2_000);
    const { minSize } = venue().market;
    const small = { ...intent, spendMicros: minSize / 25, receiveMicros: minSize / 5 };
    expect(await gateway().submit(await orders().sign(small))).toEqual({
      kind: 'rejected',
      reason: expect.any(String),
    });
    expect(await open()).toEqual([]);
  });
}
