import { watchUser } from '../../support/watched-users.ts';
import { describe, expect, it } from 'vitest';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import { viewOrder } from '../../../src/http/views/order.ts';
import { aLimitBuy, aMarketBuy, aMarketSell } from '../../support/builders.ts';
import type { SettlementScript } from '../../support/fakes/fake-venue.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

/** Buys 20 shares for 10 USDC, the trade settling as the script says. */
async function bought(script?: SettlementScript) {
  const { world, life, store } = await aFundedLife();
  if (script !== undefined) world.venue.settlements.push(script);
  const record = await during(world, life.orders.place(world.user, aMarketBuy()));
  return {
    world,
    life,
    store,
    record,
    user: world.user,
    venue: world.venue,
    now: () => life.orders.get(world.user, record.intent.intentId),
  };
}

/** Rests a buy of 20 shares at 0.40. */
async function resting() {
  const { world, life, store } = await aFundedLife();
  const record = await during(world, life.orders.place(world.user, aLimitBuy()));
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

const trade = asId<TradeId>('trade-1');

describe('filling and settling when the venue misbehaves', () => {
  it('L3: ghost-fill: reverses a failed settlement exactly once', async () => {
    const { world, life, store, user, venue, now } = await bought([
      { afterMs: 1_000, word: 'mined' },
      { afterMs: 5_000, word: 'failed' },
    ]);
    const shown = () => {
      const order = now();
      return order === null ? null : viewOrder(order);
    };
    const filled = { state: 'filled', filledShares: '20', settledShares: '0' };
    expect(shown()).toMatchObject({
      ...filled,
      settlementState: 'provisional',
      reversedShares: '0',
    });
    expect(life.portfolio.holdings(user)).toMatchObject([
      { provisionalShares: 20_000_000, settledShares: 0 },
    ]);
    expect(life.portfolio.cash(user, 'usdc:safe')).toMatchObject({
      settled: 100_000_000,
      available: 89_650_000,
    });
    await world.clock.advance(10_000);
    venue.say(trade, 'failed');
    await world.clock.advance(10_000);
    expect(life.portfolio.holdings(user)).toMatchObject([
      {
        provisionalShares: 0,
        settledShares: 0,
        position: { shares: 0, state: 'closed', realizedPnl: 0 },
      },
    ]);
    expect(life.portfolio.cash(user, 'usdc:safe')).toEqual({
      settled: 100_000_000,
      provisional: 0,
      reserved: 0,
      available: 100_000_000,
    });
    expect(shown()).toMatchObject({
      ...filled,
      filledShares: '0',
      filledUsdc: '0',
      averagePrice: null,
      feesUsdc: '0',
      settlementState: 'reversed',
      reversedShares: '20',
    });
    expect(life.bus.entries.filter(({ event }) => event.type === 'fill.reversed')).toHaveLength(1);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('L3: retrying-then-confirmed: settles once, whatever the hashes', async () => {
    const { world, life, store, user, now } = await bought([
      { afterMs: 500, word: 'mined' },
      { afterMs: 1_000, word: 'retrying' },
      { afterMs: 2_000, word: 'mined' },
      { afterMs: 3_000, word: 'confirmed' },
    ]);
    await world.clock.advance(10_000);
    expect(life.portfolio.fills(user)).toMatchObject([
      { settlement: 'settled', word: 'confirmed' },
    ]);
    expect(now()).toMatchObject({ state: 'filled', settledShares: 20_000_000 });
    expect(life.bus.entries.filter(({ event }) => event.type === 'fill.settled')).toHaveLength(1);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('L3: confirmed-then-replayed-matched: ignores the old word', async () => {
    const { world, life, store, user, venue } = await bought();
    await world.clock.advance(10_000);
    const before = life.portfolio.fills(user);
    venue.say(trade, 'matched');
    venue.say(trade, 'failed');
    await world.clock.advance(10_000);
    expect(life.portfolio.fills(user)).toEqual(before);
    expect(life.log.lines.filter(({ event }) => event === 'fill.contradicted')).toHaveLength(1);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('L3: books a trade anew when it is confirmed after it had failed, and raises an error', async () => {
    const { world, life, store, user, venue } = await bought([{ afterMs: 1_000, word: 'failed' }]);
    await world.clock.advance(5_000);
    venue.say(trade, 'confirmed');
    venue.say(trade, 'confirmed');
    await world.clock.advance(5_000);
    expect(life.portfolio.holdings(user)).toMatchObject([
      { settledShares: 20_000_000, provisionalShares: 0 },
    ]);
    expect(life.portfolio.cash(user, 'usdc:safe').settled).toBe(89_650_000);
    expect(life.log.lines.some(({ event }) => event === 'fill.contradicted')).toBe(true);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('L4: duplicate-trade: counts a trade once, across a restart too', async () => {
    const { world, life, store, user, venue } = await bought();
    venue.say(trade, 'matched');
    await world.clock.advance(10_000);
    await life.orders.stop();
    const next = world.live(store, { seed: 'second' });
    await next.orders.recover();
    watchUser(next, user);
    await world.clock.advance(10_000);
    venue.say(trade, 'confirmed');
    venue.say(trade, 'matched');
    await world.clock.advance(10_000);
    expect(next.portfolio.fills(user)).toHaveLength(1);
    expect(next.portfolio.cash(user, 'usdc:safe').settled).toBe(89_650_000);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('split-match and several-fills-one-tx: counts every part, as one order', async () => {
    const { world, life, store, venue, orderId, user, now } = await resting();
    venue.trade(orderId, 5_000_000);
    venue.trade(orderId, 5_000_000);
    await world.clock.advance(0);
    expect(now()).toMatchObject({
      state: 'live',
      filledShares: 10_000_000,
      reserved: { usdc: 8_561_000 - 4_000_000 },
    });
    venue.trade(orderId, 10_000_000);
    await world.clock.advance(10_000);
    expect(now()).toMatchObject({
      state: 'filled',
      filledShares: 20_000_000,
      feesUsdc: 0,
      reserved: { usdc: 0, shares: 0 },
    });
    expect(life.portfolio.fills(user)).toHaveLength(3);
    expect(life.portfolio.cash(user, 'usdc:safe').settled).toBe(92_000_000);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('overfill-dust: accepts micro-shares beyond the asked size, and the books balance', async () => {
    const { world, life, store, venue, orderId, user, now } = await resting();
    venue.trade(orderId, 20_000_350);
    await world.clock.advance(10_000);
    expect(now()).toMatchObject({ state: 'filled', filledShares: 20_000_350 });
    expect(life.portfolio.holdings(user)).toMatchObject([{ settledShares: 20_000_350 }]);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it("underfill-dust: is closed by the venue's word, not by equality", async () => {
    const { world, store, venue, orderId, user, now } = await resting();
    venue.trade(orderId, 19_900_000);
    await world.clock.advance(10_000);
    expect(now()).toMatchObject({ state: 'live' });
    venue.end(orderId, 'cancelled', 'too small to rest');
    await world.clock.advance(10_000);
    expect(now()).toMatchObject({
      state: 'cancelled',
      filledShares: 19_900_000,
      reserved: { usdc: 0, shares: 0 },
    });
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('keeps the reservation of an ended order until the fills it is owed are in', async () => {
    const { world, life, store, venue, orderId, user, now } = await resting();
    venue.settlements.push([]);
    venue.isChannelMute = true;
    venue.trade(orderId, 5_000_000);
    venue.isChannelMute = false;
    venue.areReadsDown = true;
    venue.end(orderId, 'cancelled', 'cancelled by the venue');
    await world.clock.advance(20_000);
    expect(now()).toMatchObject({
      state: 'matched',
      ending: { state: 'cancelled' },
      matchedShares: 5_000_000,
      reserved: { usdc: 8_561_000 },
    });
    venue.areReadsDown = false;
    await world.clock.advance(60_000);
    expect(now()).toMatchObject({
      state: 'cancelled',
      filledShares: 5_000_000,
      reserved: { usdc: 0 },
    });
    expect(life.portfolio.holdings(user)).toHaveLength(1);
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('missing fills are found by reading, when the channel loses them', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.isChannelMute = true;
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(15_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({ state: 'filled' });
    expect(life.portfolio.fills(world.user)).toMatchObject([{ settlement: 'settled' }]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('opens a lost channel again and re-reads what it missed', async () => {
    const { world, life, venue, orderId, user, now } = await resting();
    await world.clock.advance(10);
    venue.breakChannels();
    venue.trade(orderId, 20_000_000);
    expect(venue.watchers(user)).toBe(0);
    await world.clock.advance(10_000);
    expect(venue.watchers(user)).toBe(1);
    expect(now()).toMatchObject({ state: 'filled' });
    expect(life.portfolio.fills(user)).toHaveLength(1);
  });

  it('sell-before-confirmed: shares that are not final cannot be sold yet', async () => {
    const { world, life, user } = await bought();
    await expect(during(world, life.orders.place(user, aMarketSell(20)))).rejects.toMatchObject({
      code: 'insufficient_shares',
    });
    await world.clock.advance(10_000);
    expect((await during(world, life.orders.place(user, aMarketSell(20)))).state).toBe('filled');
  });

  it('L5: proceeds that are not final cannot be spent yet', async () => {
    const { world, life, user } = await bought();
    await world.clock.advance(10_000);
    await during(world, life.orders.place(user, aMarketSell(20)));
    expect(life.portfolio.cash(user, 'usdc:safe')).toMatchObject({
      settled: 89_650_000,
      available: 89_650_000,
    });
    await world.clock.advance(10_000);
    expect(life.portfolio.cash(user, 'usdc:safe').available).toBeGreaterThan(98_000_000);
  });

  it("balance-drops-elsewhere: ends cancelled with the venue's reason", async () => {
    const { world, venue, orderId, now } = await resting();
    venue.end(orderId, 'cancelled', 'INVALID');
    await world.clock.advance(1_000);
    expect(now()).toMatchObject({
      state: 'cancelled',
      reason: 'INVALID',
      reserved: { usdc: 0, shares: 0 },
    });
  });
});
