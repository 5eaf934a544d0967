import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { asId, type IntentId, type OrderId, type TokenId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { wallMsSince } from '../../src/ports/clock.ts';
import { putOrder } from '../../src/services/books/record-changes.ts';
import { ORDERS, ORDER_IDS, POSITIONS, RISK } from '../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aMarketSell, aUserId } from '../support/builders.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
} from '../support/worlds/trading-world.ts';
import { orderIdOf } from '../support/attempts.ts';

describe('L9: start is recovery', () => {
  it('L9: resting orders, fills and positions are taken up where they stood', async () => {
    const { world, life, store } = await aFundedLife();
    const resting = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    expect(await during(world, next.orders.recover())).toMatchObject({
      openOrders: 1,
      undecidedOrders: 0,
      openFills: 1,
      openPositions: 1,
      activeUsers: 1,
    });
    world.venue.trade(orderIdOf(resting), 20_000_000);
    await world.clock.advance(20_000);
    expect(ordersOf(next.store).map(({ state }) => state)).toEqual(['filled', 'filled']);
    expect(next.portfolio.fills(world.user).map(({ settlement }) => settlement)).toEqual([
      'settled',
      'settled',
    ]);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    next.resolutionHint(world.market.marketId);
    await world.clock.advance(5_000);
    expect(next.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed' } },
    ]);
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L9: a position whose market ended early while the process was down is paid at once, though the venue reports it no more', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(20_000);
    expect(life.portfolio.fills(world.user).map(({ settlement }) => settlement)).toEqual([
      'settled',
    ]);
    await life.orders.stop();
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    const next = world.live(store.crash(), { seed: 'second' });
    expect(await during(world, next.orders.recover())).toMatchObject({
      openFills: 0,
      openPositions: 1,
      activeUsers: 0,
    });
    await world.clock.advance(5_000);
    expect(world.clock.nowMs()).toBeLessThan(world.market.endsAtMs);
    expect(next.portfolio.holdings(world.user)).toMatchObject([
      { position: { state: 'redeemed' } },
    ]);
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L1, L9: bytes that may have left are asked about before they are sent again', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'hangs' });
    const placed = life.orders.place(world.user, aMarketBuy());
    placed.catch(() => undefined);
    await world.clock.advance(100);
    life.die();
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    expect(await during(world, next.orders.recover())).toMatchObject({
      openOrders: 1,
      undecidedOrders: 1,
    });
    await world.clock.advance(10_000);
    const bodies = [...world.venue.bodies.values()].flat();
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(1);
    expect(ordersOf(next.store)).toMatchObject([{ state: 'filled', attempts: [{ sends: 2 }] }]);
  });

  it('L9: a request that went stale while the process was down is not sent; the venue decides that it never had it', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'refused-silently' }, { kind: 'refused-silently' });
    const placed = life.orders.place(world.user, aMarketBuy());
    placed.catch(() => undefined);
    await world.clock.advance(100);
    life.die();
    await life.orders.stop();
    await world.clock.advance(3_600_000);
    const next = world.live(store.crash(), { seed: 'second' });
    await during(world, next.orders.recover());
    await world.clock.advance(5_000);
    expect(ordersOf(next.store)).toMatchObject([
      { state: 'rejected', reserved: { usdc: 0, shares: 0 } },
    ]);
    expect(next.portfolio.cash(world.user, 'usdc:safe').available).toBe(100_000_000);
  });

  it('L2, L9: an order that was filled while the process was down, and that the venue has forgotten since, is booked by its trades', async () => {
    const { world, life, store } = await aFundedLife();
    const resting = await during(world, life.orders.place(world.user, aLimitBuy()));
    life.die();
    await life.orders.stop();
    world.venue.trade(orderIdOf(resting), 20_000_000);
    world.venue.forgotten.add(orderIdOf(resting));
    await world.clock.advance(3_600_000);
    const next = world.live(store.crash(), { seed: 'second' });
    await during(world, next.orders.recover());
    await world.clock.advance(60_000);
    expect(ordersOf(next.store)).toMatchObject([{ state: 'filled', filledShares: 20_000_000 }]);
    expect(next.portfolio.cash(world.user, 'usdc:safe').settled).toBe(
      await world.venue.collateral(world.user),
    );
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L2, L9: an order whose answer was lost with the process was booked if it has trades, though the venue has forgotten it since', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 5_000 });
    world.venue.isChannelMute = world.venue.areReadsDown = true;
    const placed = life.orders.place(world.user, aMarketBuy());
    placed.catch(() => undefined);
    await world.clock.advance(100);
    life.die();
    await life.orders.stop();
    world.venue.areReadsDown = false;
    for (const orderId of world.venue.orders.keys()) world.venue.forgotten.add(orderId);
    await world.clock.advance(3_600_000);
    const next = world.live(store.crash(), { seed: 'second' });
    await during(world, next.orders.recover());
    await world.clock.advance(60_000);
    expect(ordersOf(next.store)).toMatchObject([{ state: 'filled' }]);
    expect(next.portfolio.cash(world.user, 'usdc:safe').settled).toBe(
      await world.venue.collateral(world.user),
    );
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L2, L9: the fence holds from before the bytes leave, across the restart, until the venue has spoken', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push(
      { kind: 'late-book', ms: 12_000 },
      ...Array.from({ length: 8 }, () => ({ kind: 'refused-silently' }) as const),
    );
    const placed = life.orders.place(world.user, aMarketBuy());
    placed.catch(() => undefined);
    await world.clock.advance(100);
    life.die();
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    await during(world, next.orders.recover());
    await expect(during(world, next.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'market_fenced',
    });
    await world.clock.advance(20_000);
    expect(ordersOf(next.store)).toMatchObject([{ state: 'filled' }]);
    world.venue.submitFaults.length = 0;
    expect((await during(world, next.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('L9: a durable request to cancel is carried out after the restart', async () => {
    const { world, life, store } = await aFundedLife();
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    world.venue.cancelFaults.push({ kind: 'unknown', cause: 'time-out' });
    await during(world, life.orders.cancel(world.user, intent.intentId));
    await life.orders.stop();
    const next = world.live(store.crash(), { seed: 'second' });
    await during(world, next.orders.recover());
    await world.clock.advance(30_000);
    expect(next.orders.get(world.user, intent.intentId)).toMatchObject({ state: 'cancelled' });
  });

  it('L9: an intent that was never signed is cancelled and gives back what it set aside', async () => {
    const { world, life, store } = await aFundedLife();
    const made = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.cancel(world.user, made.intent.intentId));
    const intentId = asId<IntentId>('int_unsigned');
    const unsigned: OrderRecord = {
      ...made,
      intent: { ...made.intent, intentId },
      attempts: [],
      state: 'intended',
    };
    await life.commit((tx) => putOrder(tx, null, unsigned));
    await life.orders.stop();
    const next = world.live(store, { seed: 'second' });
    await during(world, next.orders.recover());
    expect(next.orders.get(world.user, intentId)).toMatchObject({
      state: 'cancelled',
      reason: 'interrupted before signing',
      reserved: { usdc: 0, shares: 0 },
    });
    expect(next.portfolio.cash(world.user, 'usdc:safe').available).toBe(100_000_000);
  });

  it('L5, L9: what is at risk is derived from the records; a difference is an error and is put right', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.place(world.user, aLimitBuy()));
    const risk = store.get(RISK, [world.user])?.value;
    await life.commit((tx) =>
      tx.put(RISK, [world.user], { tokens: {}, cash: {}, day: 0, realisedUsdc: 0 }),
    );
    await life.orders.stop();
    const next = world.live(store, { seed: 'second' });
    await during(world, next.orders.recover());
    expect(store.get(RISK, [world.user])?.value).toMatchObject({
      tokens: risk?.tokens,
      cash: { 'usdc:safe': { reservedUsdc: expect.any(Number), outgoingUsdc: 0 } },
    });
    expect(next.log.lines.some(({ event }) => event === 'risk.differed_from_records')).toBe(true);
  });

  it('a start right after a start changes nothing', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await during(world, life.orders.place(world.user, aMarketSell(20)));
    await world.clock.advance(10_000);
    await life.orders.stop();
    const journal = store.readJournal(0, 10_000);
    for (const seed of ['second', 'third']) {
      const next = world.live(store, { seed });
      await during(world, next.orders.recover());
      await world.clock.advance(10_000);
      await next.orders.stop();
    }
    expect(store.readJournal(0, 10_000)).toEqual(journal);
  });

  it('reads what was in motion, not the past: ended orders, however many, are not touched', async () => {
    const world = aWorld();
    const store = createMemoryStore();
    const life = world.live(store);
    await life.funding.syncDeposits(world.user);
    const template = await during(world, life.orders.place(world.user, aLimitBuy()));
    await life.orders.stop();
    const reads = countingReads(store);
    for (let batch = 0; batch < 5; batch += 1) {
      await store.write((tx) => {
        for (let index = 0; index < 1_000; index += 1) {
          const number = batch * 1_000 + index;
          const intentId = asId<IntentId>(`int_${String(number).padStart(26, '0')}`);
          const ended: OrderRecord = {
            ...template,
            intent: { ...template.intent, userId: aUserId(number % 50), intentId },
            state: 'cancelled',
            reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
          };
          tx.put(ORDERS, [ended.intent.userId, intentId], ended);
          tx.put(ORDER_IDS, [asId<OrderId>(`0x${number}`)], {
            userId: ended.intent.userId,
            intentId,
          });
        }
      });
    }
    const next = world.live(reads.store, { seed: 'second' });
    expect(await during(world, next.orders.recover())).toMatchObject({ openOrders: 1 });
    expect(reads.records()).toBeLessThan(100);
  });

  it('reads the positions that are held, not those that were: who traded for long starts as fast', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(20_000);
    await life.orders.stop();
    const [held] = store.range(POSITIONS, { prefix: [world.user] });
    if (held === undefined) expect.unreachable();
    await store.write((tx) => {
      for (let index = 0; index < 1_000; index += 1) {
        const tokenId = asId<TokenId>(`9${index}`);
        const closed = { ...held.value, tokenId, shares: shareMicros(0) };
        tx.put(POSITIONS, [world.user, tokenId], closed);
      }
    });
    const reads = countingReads(store);
    const next = world.live(reads.store, { seed: 'second' });
    expect(await during(world, next.orders.recover())).toMatchObject({ openPositions: 1 });
    expect(reads.records()).toBeLessThan(200);
  });
});

describe('what a start says of itself', () => {
  it('is how long it took on the wall, however fast the market clock goes', async () => {
    const fast = { nowMs: () => 32_860, speed: 10 };
    expect([wallMsSince(fast, 0), wallMsSince({ nowMs: () => 70 }, 50)]).toEqual([3_286, 20]);
  });
});

/** Counts the records a store hands out. */
function countingReads(store: ReturnType<typeof createMemoryStore>) {
  let records = 0;
  const counting: typeof store = {
    ...store,
    get commits() {
      return store.commits;
    },
    get durableCommits() {
      return store.durableCommits;
    },
    get(table, key) {
      records += 1;
      return store.get(table, key);
    },
    range(table, range) {
      const found = store.range(table, range);
      records += found.length;
      return found;
    },
  };
  return { store: counting, records: () => records };
}
