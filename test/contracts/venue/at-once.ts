import { expect, it } from 'vitest';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import { eventually } from '../../support/eventually.ts';
import type { TradingFacts } from './trading.ts';

/** What a venue does that keeps no orders: each is carried out at once, as far as that goes. */
export function atOnceFacts(facts: () => TradingFacts): void {
  const venue = () => facts().venue;
  const orders = () => facts().orders;
  const gateway = () => venue().trading.gateway;
  const token = () => venue().market.outcomes[0].tokenId;
  const open = async () => (await gateway().openOrders(venue().userId)).read;

  it('L1: carries out the same bytes once, however often they come', async () => {
    venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 20 });
    const { orderId, order } = await orders().taken(await orders().now('buy', 10, 3_500));
    const before = await orders().fillsOf(orderId);
    await gateway().submit(order);
    await gateway().submit(order);
    const word = await gateway().lookup(order);
    expect(word).toMatchObject({ kind: 'found', order: { matchedShares: 10_000_000 } });
    expect((await orders().fillsOf(orderId)).map(({ tradeId }) => tradeId)).toEqual(
      before.map(({ tradeId }) => tradeId),
    );
    // What is left of the offer is for the next one.
    const next = await orders().taken(await orders().now('buy', 10, 3_500));
    expect(next.status).toBe('matched');
  });

  it('finds an order by what was fixed before it left, its answer lost', async () => {
    venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
    const order = await orders().now('buy', 10, 3_500);
    await gateway().submit(order);
    await eventually(async () =>
      expect(await gateway().lookup(order)).toMatchObject({
        kind: 'found',
        order: { status: 'matched', matchedShares: 10_000_000 },
      }),
    );
  });

  it('calls nothing back that has left, and lists nothing as resting', async () => {
    venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
    const { order } = await orders().taken(await orders().now('buy', 10, 3_500));
    expect(['refused', 'unclear']).toContain((await gateway().cancel(order)).kind);
    expect(await gateway().lookup(order)).toMatchObject({ order: { status: 'matched' } });
    expect(await open()).toEqual([]);
  });

  it('opens a channel, and says nothing more once it has stopped', async () => {
    const events: UserEvent[] = [];
    const stop = gateway().watch(venue().userId, {
      next: (event) => events.push(event),
      error: (cause) => expect.unreachable(String(cause)),
    });
    await eventually(() => expect(events[0]).toEqual({ kind: 'connected' }));
    stop();
    const heard = events.length;
    venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
    await orders().taken(await orders().now('buy', 10, 3_500));
    expect(events.length).toBe(heard);
  });

  it('gives all of it back where somebody was faster', async () => {
    const before = await venue().accounts.collateral(venue().userId);
    const known = (await orders().trades()).length;
    venue().quote({ tokenId: token(), side: 'sell', price: 2_500, shares: 10 });
    const order = await orders().now('buy', 10, 2_500);
    venue().take({ tokenId: token(), side: 'buy', price: 2_500, shares: 10 });
    const outcome = await gateway().submit(order);
    if (outcome.kind === 'sent')
      await eventually(async () =>
        expect(await gateway().lookup(order)).toMatchObject({
          kind: 'found',
          order: { status: 'cancelled', matchedShares: 0 },
        }),
      );
    else expect(outcome).toEqual({ kind: 'unfilled', reason: expect.any(String) });
    expect([await venue().accounts.collateral(venue().userId), await open()]).toEqual([before, []]);
    expect((await orders().trades()).length).toBe(known);
  });
}
