import { expect, it } from 'vitest';
import type { LookupOutcome, UserEvent } from '../../../src/ports/order-gateway.ts';
import { eventually } from '../../support/eventually.ts';
import type { TradingFacts } from './trading.ts';

/** What a venue does that keeps no orders: each is carried out at once, as far as that goes. */
export function atOnceFacts(facts: () => TradingFacts): void {
  const venue = () => facts().venue;
  const orders = () => facts().orders;
  const gateway = () => venue().trading.gateway;
  const token = () => venue().market.outcomes[0].tokenId;
  const open = async () => (await gateway().openOrders(venue().userId)).read;

  /** Ten shares, with the millionths that a curve, asked for dollars, gives on top. */
  const tenOf = (word: LookupOutcome): number => {
    const { pricedBy, trading } = venue();
    if (pricedBy !== 'curve' || word.kind !== 'found') return 10_000_000;
    const more = word.order.matchedShares - 10_000_000;
    return more >= 0 && more <= trading.traits.dustShareMicros
      ? word.order.matchedShares
      : 10_000_000;
  };

  it('L1: carries out the same bytes once, however often they come', async () => {
    await venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 20 });
    const { orderId, order } = await orders().taken(await orders().now('buy', 10, 3_500));
    const before = await orders().fillsOf(orderId);
    await gateway().submit(order);
    await gateway().submit(order);
    const word = await gateway().lookup(order);
    expect(word).toMatchObject({ kind: 'found', order: { matchedShares: tenOf(word) } });
    expect((await orders().fillsOf(orderId)).map(({ tradeId }) => tradeId)).toEqual(
      before.map(({ tradeId }) => tradeId),
    );
    // What is left of the offer is for the next one.
    const next = await orders().taken(await orders().now('buy', 10, 3_500));
    expect(next.status).toBe('matched');
  });

  it('finds an order by what was fixed before it left, its answer lost', async () => {
    await venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
    const order = await orders().now('buy', 10, 3_500);
    await gateway().submit(order);
    await eventually(async () => {
      const word = await gateway().lookup(order);
      expect(word).toMatchObject({
        kind: 'found',
        order: { status: 'matched', matchedShares: tenOf(word) },
      });
    });
  });

  it('calls nothing back that has left, and lists nothing as resting', async () => {
    await venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
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
    await venue().quote({ tokenId: token(), side: 'sell', price: 3_500, shares: 10 });
    await orders().taken(await orders().now('buy', 10, 3_500));
    expect(events.length).toBe(heard);
  });

  it('gives all of it back where another trader was faster', async () => {
    const before = await venue().accounts.collateral(venue().userId);
    const known = (await orders().trades()).length;
    await venue().quote({ tokenId: token(), side: 'sell', price: 2_500, shares: 10 });
    const order = await orders().now('buy', 10, 2_500);
    await venue().take({ tokenId: token(), side: 'buy', price: 2_500, shares: 10 });
    const outcome = await gateway().submit(order);
    if (outcome.kind === 'sent')
      await eventually(async () =>
        expect(await gateway().lookup(order)).toMatchObject(
          // A transaction that does not happen leaves nothing to find.
          venue().pricedBy === 'curve'
            ? { kind: 'absent', proof: expect.any(String) }
            : { kind: 'found', order: { status: 'cancelled', matchedShares: 0 } },
        ),
      );
    else expect(outcome).toEqual({ kind: 'unfilled', reason: expect.any(String) });
    expect([await venue().accounts.collateral(venue().userId), await open()]).toEqual([before, []]);
    expect((await orders().trades()).length).toBe(known);
  });
}
