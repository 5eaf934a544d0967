import { describe, expect, it } from 'vitest';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import {
  aLimitBuy,
  aMarket,
  aMarketBuy,
  aMarketSell,
  aUserId,
  T0,
} from '../../support/builders.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { aFundedLife, aWorld, brokenLaws, during } from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

/** Rests a buy of 20 shares at 0.40. */
async function resting(expiresAtMs: number | null = null) {
  const { world, life, store } = await aFundedLife();
  const request =
    expiresAtMs === null
      ? aLimitBuy()
      : aLimitBuy({ type: { kind: 'limit', price: limitPrice(), expiresAtMs } });
  const record = await during(world, life.orders.place(world.user, request));
  const orderId = orderIdOf(record);
  return {
    world,
    life,
    store,
    record,
    orderId,
    user: world.user,
    venue: world.venue,
    now: () => life.orders.get(world.user, record.intent.intentId),
  };
}

function limitPrice() {
  const { type } = aLimitBuy();
  if (type.kind !== 'limit') throw new Error('a limit order has a price');
  return type.price;
}

describe('cancelling and ending when the venue misbehaves', () => {
  it('fill-races-cancel: the fill wins and is counted once', async () => {
    const { world, life, store, venue, orderId, record, user, now } = await resting();
    venue.isChannelMute = true;
    venue.trade(orderId, 20_000_000);
    venue.isChannelMute = false;
    await during(world, life.orders.cancel(user, record.intent.intentId));
    await world.clock.advance(10_000);
    expect(now()).toMatchObject({ state: 'filled', filledShares: 20_000_000 });
    expect(life.portfolio.fills(user)).toHaveLength(1);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('a part filled before the cancel stays, and the rest is released', async () => {
    const { world, life, store, venue, orderId, record, user } = await resting();
    venue.trade(orderId, 5_000_000);
    await world.clock.advance(10);
    const cancelled = await during(world, life.orders.cancel(user, record.intent.intentId));
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      filledShares: 5_000_000,
      reserved: { usdc: 0, shares: 0 },
    });
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('cancel-already-gone: asks by id, and tries again, when the order is still live', async () => {
    const { world, life, venue, record, user, now } = await resting();
    venue.cancelFaults.push({
      kind: 'unclear',
      reason: "order can't be found - already canceled or matched",
    });
    const after = await during(world, life.orders.cancel(user, record.intent.intentId));
    expect(after).toMatchObject({ state: 'live', cancelWanted: true });
    await world.clock.advance(30_000);
    expect(now()).toMatchObject({ state: 'cancelled' });
    expect(venue.cancels).toHaveLength(2);
  });

  it('cancel-before-id: is cancelled as soon as the venue is known to have it', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'late-book', ms: 10_000 });
    world.venue.isChannelMute = true;
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    const wanted = await during(world, life.orders.cancel(world.user, intent.intentId));
    expect(wanted).toMatchObject({ state: 'unknown', cancelWanted: true });
    await world.clock.advance(30_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({ state: 'cancelled' });
    expect([...world.venue.bodies.values()].flat()).toHaveLength(1);
  });

  it("reason-suffix: keeps the venue's reason", async () => {
    const { world, venue, orderId, now } = await resting();
    venue.end(orderId, 'cancelled', 'MARKET_RESOLVED');
    await world.clock.advance(10);
    expect(now()).toMatchObject({ state: 'cancelled', reason: 'MARKET_RESOLVED' });
  });

  it('gtd-early: an order the venue stops a minute early has expired', async () => {
    const { world, venue, orderId, now } = await resting(T0 + 600_000);
    await world.clock.advance(600_000 - 59_000);
    venue.end(orderId, 'cancelled', 'stopped before its expiry');
    await world.clock.advance(10);
    expect(now()).toMatchObject({ state: 'expired', reserved: { usdc: 0, shares: 0 } });
  });

  it('an order reaches its expiry and ends expired, though the channel says nothing', async () => {
    const { world, venue, now } = await resting(T0 + 600_000);
    venue.isChannelMute = true;
    await world.clock.advance(660_000);
    expect(now()).toMatchObject({ state: 'expired' });
  });

  it('heartbeat-lost: orders the venue cancelled by itself are seen to end', async () => {
    const { world, venue, orderId, now } = await resting();
    venue.isChannelMute = true;
    venue.end(orderId, 'cancelled', 'heartbeat lost');
    await world.clock.advance(20_000);
    expect(now()).toMatchObject({ state: 'cancelled', reason: 'heartbeat lost' });
  });

  it("an ended order cannot be cancelled, nor a stranger's", async () => {
    const { world, life, venue, orderId, record, user } = await resting();
    venue.end(orderId, 'cancelled', 'gone');
    await world.clock.advance(10);
    await expect(life.orders.cancel(user, record.intent.intentId)).rejects.toMatchObject({
      code: 'order_not_cancellable',
    });
    await expect(
      life.orders.cancel(
        world.user,
        record.intent.intentId.replace('int_', 'int_X') as typeof record.intent.intentId,
      ),
    ).rejects.toMatchObject({ code: 'not_found' }); // an unknown id
  });
});

describe('resolution', () => {
  /** Buys 20 shares of outcome 0 in a market that ends in ten minutes. */
  async function holding() {
    const world = aWorld(undefined, [aMarket(1, { endsAtMs: T0 + 600_000 })]);
    const store = createMemoryStore();
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    return { world, store, life };
  }

  it('L3: market-resolved-silently: is found by asking, and pays a dollar a share', async () => {
    const { world, store, life } = await holding();
    await world.clock.advance(610_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([{ position: { state: 'open' } }]);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(60_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed', shares: 0, realizedPnl: 9_650_000 }, settledShares: 0 },
    ]);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(109_650_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: a lost position pays nothing and books its loss', async () => {
    const { world, store, life } = await holding();
    world.venue.resolve(world.market.marketId, [0, 10_000]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(10_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'lost', shares: 0, realizedPnl: -10_350_000 } },
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: resolved-fifty-fifty: pays half a dollar a share', async () => {
    const { world, store, life } = await holding();
    world.venue.resolve(world.market.marketId, [5_000, 5_000]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(10_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed', realizedPnl: -350_000 } },
    ]);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(99_650_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: pays only once the fills are final', async () => {
    const world = aWorld();
    const store = createMemoryStore();
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    world.venue.settlements.push([{ afterMs: 60_000, word: 'confirmed' }]);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(30_000);
    expect(life.portfolio.holdings(world.user, { redeemable: true })).toMatchObject([
      { position: { state: 'resolved' } },
    ]);
    await world.clock.advance(40_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed' } },
    ]);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(109_650_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: a trade reported after the payout is paid as well, and taken back when it fails', async () => {
    const { world, store, life } = await holding();
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(10_000);
    const [reported] = world.venue.trades;
    if (reported === undefined) throw new Error('the purchase was a trade');
    await during(
      world,
      life.portfolio.recordFill({
        ...reported,
        tradeId: asId<TradeId>('late-good'),
        word: 'confirmed',
      }),
    );
    await during(
      world,
      life.portfolio.recordFill({
        ...reported,
        tradeId: asId<TradeId>('late-bad'),
        word: 'matched',
      }),
    );
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { shares: 40_000_000, state: 'open' } },
    ]);
    await during(
      world,
      life.portfolio.recordFill({
        ...reported,
        tradeId: asId<TradeId>('late-bad'),
        word: 'failed',
      }),
    );
    await world.clock.advance(10_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { shares: 0, state: 'redeemed', realizedPnl: 2 * 9_650_000, costUsdc: 0 } },
    ]);
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      settled: 119_300_000,
      provisional: 0,
    });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: a trade reported while the market is being paid out is paid as well', async () => {
    const { world, store, life } = await holding();
    const other = aUserId(2);
    world.venue.deposit(other, 100_000_000);
    await life.funding.syncDeposits(other);
    await during(world, life.orders.place(other, aMarketBuy()));
    await world.clock.advance(10_000);
    const [reported] = world.venue.trades;
    if (reported === undefined) throw new Error('the purchase was a trade');
    let late: Promise<unknown> | null = null;
    life.bus.subscribe(({ event }) => {
      if (
        event.type === 'position.changed' &&
        event.userId === world.user &&
        event.position.state === 'redeemed'
      )
        late ??= life.portfolio.recordFill({
          ...reported,
          tradeId: asId<TradeId>('late'),
          word: 'confirmed',
        });
    });
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(20_000);
    expect(await late).toBe('settled');
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed', shares: 0, realizedPnl: 2 * 9_650_000 } },
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('nothing is paid for a position that was sold before', async () => {
    const { world, store, life } = await holding();
    await world.clock.advance(10_000);
    await during(world, life.orders.place(world.user, aMarketSell(20)));
    await world.clock.advance(10_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(700_000);
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'closed', shares: 0 } },
    ]);
    expect(
      life.bus.entries.filter(
        ({ event }) => event.type === 'ledger.posted' && event.entry.kind === 'payout',
      ),
    ).toEqual([]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });
});
