import { watchUser } from '../../support/watched-users.ts';
import { describe, expect, it, vi } from 'vitest';
import { SYNC } from '../../../config/limits.ts';
import { HEALTH } from '../../../config/limits/risk.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type OrderId, type TradeId } from '../../../src/domain/ids.ts';
import { aLimitBuy, aMarketBuy, aUserId } from '../../support/builders.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
} from '../../support/worlds/trading-world.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { orderIdOf } from '../../support/attempts.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

describe('keeping up with the venue', () => {
  it('L4: books each deposit once, however often it is reported, and finds new ones by itself', async () => {
    const world = aWorld(5_000_000);
    const life = world.live(createMemoryStore());
    watchUser(life, world.user);
    await world.clock.advance(10_000);
    expect(await life.funding.syncDeposits(world.user)).toBe(0);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(5_000_000);
    world.venue.deposit(world.user, 2_000_000);
    await world.clock.advance(SYNC.depositsIntervalMs + SYNC.intervalMs);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(7_000_000);
    expect(brokenLaws(life.store, world.user)).toEqual([]);
  });

  it('two syncs of one deposit at once book it once', async () => {
    const world = aWorld(5_000_000);
    const life = world.live(createMemoryStore());
    const booked = await during(
      world,
      Promise.all([life.funding.syncDeposits(world.user), life.funding.syncDeposits(world.user)]),
    );
    expect(booked.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(5_000_000);
  });

  it('watches a user once, and lets go of one who has nothing in motion', async () => {
    const { world, life } = await aFundedLife();
    watchUser(life, world.user);
    watchUser(life, world.user);
    expect(world.venue.watchers(world.user)).toBe(1);
    await world.clock.advance(SYNC.idleAfterMs + SYNC.intervalMaximumMs);
    expect(world.venue.watchers(world.user)).toBe(0);
    watchUser(life, world.user);
    expect(world.venue.watchers(world.user)).toBe(1);
  });

  it.each([
    ['logs what it cannot store', false, 1],
    ['leaves to the next start what it cannot store as it ends', true, 0],
  ])('%s', async (_what, ends, lines) => {
    const { world, life, store } = await aFundedLife();
    const order = await during(world, life.orders.place(world.user, aLimitBuy()));
    vi.spyOn(store, 'write').mockRejectedValue(
      new AppError('store_unavailable', 'the store is closed'),
    );
    world.venue.end(orderIdOf(order), 'cancelled', 'cancelled by user');
    if (ends) await life.orders.stop();
    await world.clock.advance(1);
    expect(
      life.log.lines.filter(({ event }) => event === 'user_channel.word_not_stored').length,
    ).toBe(lines);
  });

  it('keeps watching as long as an order rests', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(2 * SYNC.idleAfterMs);
    expect(world.venue.watchers(world.user)).toBe(1);
  });

  it('reads nothing every few seconds of a user whose orders have ended, deposits less and less often, and all again at the next order', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(60_000);
    const reads = {
      fills: vi.spyOn(world.venue, 'fills'),
      deposits: vi.spyOn(world.venue, 'deposits'),
    };
    await world.clock.advance(SYNC.idleAfterMs - 120_000);
    expect(reads.fills).not.toHaveBeenCalled();
    expect(reads.deposits.mock.calls.length).toBeLessThanOrEqual(6);
    expect(reads.deposits.mock.calls.length).toBeGreaterThanOrEqual(3);
    world.venue.isChannelMute = true;
    await during(
      world,
      life.orders.place(
        world.user,
        aMarketBuy({ marketId: world.markets[1]?.marketId ?? world.market.marketId }),
      ),
    );
    await world.clock.advance(2 * SYNC.intervalMs);
    expect(reads.fills).toHaveBeenCalled();
    expect(life.portfolio.fills(world.user)).toHaveLength(2);
    expect(brokenLaws(life.store, world.user)).toEqual([]);
  });

  it('reads again what the channel sent of an order that had ended, and could not be stored', async () => {
    const { world, life, store } = await aFundedLife();
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.cancel(world.user, placed.intent.intentId));
    await world.clock.advance(10_000);
    vi.spyOn(life.portfolio, 'recordFill').mockRejectedValueOnce(
      new AppError('store_unavailable', 'the disk is full', { retryable: true }),
    );
    world.venue.settlements.push([]);
    world.venue.trade(orderIdOf(placed), 5_000_000);
    await world.clock.advance(60_000);
    expect(life.portfolio.fills(world.user)).toMatchObject([{ shares: 5_000_000 }]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L2: books the trades it can read beside one that it cannot, and calls what it knows incomplete until that one is readable', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.isChannelMute = true;
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    world.venue.unreadTrades = 1;
    world.venue.trade(orderIdOf(placed), 5_000_000);
    await world.clock.advance(2 * SYNC.intervalMs + HEALTH.unreadAfterMs + SYNC.intervalMaximumMs);
    expect(life.portfolio.fills(world.user)).toMatchObject([{ shares: 5_000_000 }]);
    expect(life.userStreams.problem(world.user, VENUE_A)?.code).toBe('trades_unread');
    world.venue.unreadTrades = 0;
    await world.clock.advance(SYNC.intervalMaximumMs);
    expect(life.userStreams.problem(world.user, VENUE_A)).toBeNull();
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('books the trades around one that does not fit the order it names', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.isChannelMute = true;
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    const orderId = orderIdOf(placed);
    world.venue.trade(orderId, 5_000_000);
    world.venue.trades.unshift(
      ...world.venue.trades.map((trade) => ({
        ...trade,
        tradeId: asId<TradeId>('another'),
        side: 'sell' as const,
      })),
    );
    await world.clock.advance(4 * SYNC.intervalMs);
    expect(life.portfolio.fills(world.user)).toMatchObject([{ shares: 5_000_000, side: 'buy' }]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('reads trades, and knows that it has, while deposits cannot be read', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.isChannelMute = true;
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    const deposits = vi
      .spyOn(world.venue, 'deposits')
      .mockRejectedValue(
        new AppError('venue_unavailable', 'the chain does not answer', { retryable: true }),
      );
    await world.clock.advance(
      SYNC.depositsIntervalMs + HEALTH.unreadAfterMs + SYNC.intervalMaximumMs,
    );
    world.venue.trade(orderIdOf(placed), 5_000_000);
    await world.clock.advance(SYNC.intervalMaximumMs);
    expect(life.portfolio.fills(world.user)).toMatchObject([{ shares: 5_000_000 }]);
    expect(life.userStreams.problem(world.user, VENUE_A)).toBeNull();
    deposits.mockRestore();
    world.venue.deposit(world.user, 3_000_000);
    await world.clock.advance(SYNC.intervalMaximumMs + SYNC.intervalMs);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(101_000_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('looks soon again when the channel speaks of a user who was left in peace', async () => {
    const { world, life } = await aFundedLife();
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.cancel(world.user, placed.intent.intentId));
    await world.clock.advance(120_000);
    const fills = vi.spyOn(world.venue, 'fills');
    world.venue.breakChannels();
    await world.clock.advance(SYNC.reconnectFirstMs + 2 * SYNC.intervalMs);
    expect(fills).toHaveBeenCalled();
  });

  it('opens a channel that is dropped as soon as it opens less and less often, and one that lasted at once', async () => {
    const { world, life } = await aFundedLife();
    const watch = vi.spyOn(world.venue, 'watch');
    world.venue.isChannelDropped = true;
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(5 * 60_000);
    expect(watch.mock.calls.length).toBeLessThanOrEqual(6 + (5 * 60_000) / SYNC.intervalMaximumMs);
    world.venue.isChannelDropped = false;
    await world.clock.advance(SYNC.intervalMaximumMs + SYNC.reconnectHealthyAfterMs);
    watch.mockClear();
    world.venue.breakChannels();
    await world.clock.advance(SYNC.reconnectFirstMs);
    expect(watch).toHaveBeenCalledTimes(1);
  });

  it('ignores and counts orders and trades that are not ours', async () => {
    const { world, life } = await aFundedLife();
    const placed = await during(world, life.orders.place(world.user, aMarketBuy()));
    const [reported] = world.venue.trades;
    if (reported === undefined) throw new Error('the purchase was a trade');
    expect(
      await during(
        world,
        life.portfolio.recordFill({
          ...reported,
          orderId: asId<OrderId>('0xforeign'),
          tradeId: asId<TradeId>('other'),
        }),
      ),
    ).toBe('foreign');
    expect(life.portfolio.fills(world.user)).toHaveLength(1);
    expect(life.orders.get(world.user, placed.intent.intentId)?.filledShares).toBe(20_000_000);
    expect(life.metrics.counts.get('fills_total none foreign')).toBe(1);
  });

  it('refuses a trade that does not fit its order', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    const [reported] = world.venue.trades;
    if (reported === undefined) throw new Error('the purchase was a trade');
    await expect(
      during(
        world,
        life.portfolio.recordFill({ ...reported, side: 'sell', tradeId: asId<TradeId>('bent') }),
      ),
    ).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(brokenLaws(life.store, world.user)).toEqual([]);
  });

  it('L2: an order booked later than anybody could expect is taken off the book, and what it filled is ours', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.isChannelMute = true;
    world.venue.submitFaults.push(
      { kind: 'late-book', ms: 90_000 },
      ...Array.from({ length: 8 }, () => ({ kind: 'refused-silently' }) as const),
    );
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(60_000);
    expect(ordersOf(store)).toMatchObject([{ state: 'rejected' }]);
    await world.clock.advance(31_000);
    expect([...world.venue.orders.values()]).toMatchObject([{ status: 'live' }]);
    world.venue.isChannelMute = false;
    world.venue.breakChannels();
    await world.clock.advance(10_000);
    expect([...world.venue.orders.values()]).toMatchObject([{ status: 'cancelled' }]);
    expect(life.log.lines.some(({ event }) => event === 'order.orphan')).toBe(true);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('serves users apart from one another', async () => {
    const { world, life, store } = await aFundedLife();
    const other = aUserId(2);
    world.venue.deposit(other, 50_000_000);
    await life.funding.syncDeposits(other);
    const [mine, theirs] = await during(
      world,
      Promise.all([
        life.orders.place(world.user, aMarketBuy()),
        life.orders.place(other, aMarketBuy()),
      ]),
    );
    await world.clock.advance(10_000);
    expect([mine.intent.userId, theirs.intent.userId]).toEqual([world.user, other]);
    expect(life.portfolio.cash(other, 'usdc:safe').settled).toBe(39_650_000);
    expect(life.portfolio.cash(world.user, 'usdc:safe').settled).toBe(89_650_000);
    expect(brokenLaws(store, other)).toEqual([]);
  });

  it('a failing venue is asked less and less often, and caught up with when it is back', async () => {
    const { world, life } = await aFundedLife();
    await during(world, life.orders.place(world.user, aLimitBuy()));
    world.venue.areReadsDown = true;
    await world.clock.advance(600_000);
    const failures = life.log.lines.filter(({ event }) => event === 'user_sync.failed').length;
    expect(failures).toBeLessThan(600_000 / SYNC.intervalMaximumMs + 10);
    const [orderId] = world.venue.orders.keys();
    world.venue.isChannelMute = true;
    if (orderId !== undefined) world.venue.trade(orderId, 20_000_000);
    world.venue.areReadsDown = false;
    await world.clock.advance(60_000);
    expect(ordersOf(life.store)).toMatchObject([{ state: 'filled' }]);
  });
});
