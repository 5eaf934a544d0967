import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aLimitBuy, aMarketBuy, aMarketId } from '../../support/builders.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
  type Life,
} from '../../support/worlds/trading-world.ts';
import { orderIdOf, sendsOf } from '../../support/attempts.ts';

it('L6: no bytes leave again once a stop is durable that was stored beside their stamp', async () => {
  const kept = createMemoryStore();
  const alarm: { life: Life | null; isSet: boolean } = { life: null, isSet: false };
  const store: Store = {
    ...kept,
    async flushed() {
      if (
        alarm.life !== null &&
        !alarm.isSet &&
        ordersOf(kept).some((order) => sendsOf(order) === 2)
      ) {
        alarm.isSet = true;
        await alarm.life.orders.setStop({ kind: 'all' }, true, 'alarm');
      }
      return kept.flushed();
    },
  };
  const world = aWorld();
  const life = world.live(store);
  await life.orders.recover();
  await life.funding.syncDeposits(world.user);
  alarm.life = life;
  world.venue.submitFaults.push({ kind: 'deferred', retryAfterMs: 500 });
  expect(await during(world, life.orders.place(world.user, aMarketBuy()))).toMatchObject({
    state: 'rejected',
    reserved: { usdc: 0 },
  });
  await world.clock.advance(60_000);
  expect([
    alarm.isSet,
    [...world.venue.bodies.values()].map(({ length }) => length),
    world.venue.orders.size,
    brokenLaws(kept, world.user),
  ]).toEqual([true, [1], 0, []]);
});

it('L6: nothing leaves that waits for its turn at the venue when a stop comes, and what was set aside for it is given back', async () => {
  const { world, life, store } = await aFundedLife();
  world.venue.submitFaults.push({ kind: 'queued', ms: 2_000 });
  const placed = life.orders.place(world.user, aMarketBuy());
  await world.clock.advance(1_000);
  await life.orders.setStop({ kind: 'all' }, true, 'alarm');
  expect(await during(world, placed)).toMatchObject({
    state: 'cancelled',
    reason: 'buying is stopped for everybody',
    reserved: { usdc: 0 },
  });
  await world.clock.advance(60_000);
  expect([world.venue.bodies.size, world.venue.orders.size, brokenLaws(store, world.user)]).toEqual(
    [0, 0, []],
  );
});

it('L2: trades of other orders are no proof of one that the venue never booked', async () => {
  const { world, life, store } = await aFundedLife();
  const refused = Array.from({ length: 20 }, () => ({ kind: 'refused-silently' }) as const);
  world.venue.submitFaults.push(...refused);
  const lost = life.orders.place(world.user, aMarketBuy());
  expect((await during(world, lost)).state).toBe('unknown');
  world.venue.submitFaults.length = 0;
  const other = life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }));
  expect((await during(world, other)).state).toBe('filled');
  world.venue.submitFaults.push(...refused);
  await world.clock.advance(120_000);
  expect([
    ordersOf(store).map(({ state, reserved }) => [state, reserved.usdc]),
    brokenLaws(store, world.user),
  ]).toEqual([
    [
      ['rejected', 0],
      ['filled', 0],
    ],
    [],
  ]);
});

it('L2: an order the venue does not know stays undecided while its trades cannot all be read', async () => {
  const { world, life, store } = await aFundedLife();
  world.venue.submitFaults.push(
    ...Array.from({ length: 20 }, () => ({ kind: 'refused-silently' }) as const),
  );
  world.venue.unreadTrades = 1;
  await during(world, life.orders.place(world.user, aMarketBuy()));
  await world.clock.advance(120_000);
  const [held] = ordersOf(store);
  expect([held?.state, (held?.reserved.usdc ?? 0) > 0]).toEqual(['unknown', true]);
  world.venue.unreadTrades = 0;
  await world.clock.advance(120_000);
  expect(ordersOf(store)).toMatchObject([{ state: 'rejected', reserved: { usdc: 0 } }]);
});

it('L2, L3: an order the venue has forgotten ends once it rests there no more, with what its own trades say', async () => {
  const { world, life, store } = await aFundedLife();
  const resting = await during(world, life.orders.place(world.user, aLimitBuy()));
  const other = await during(world, life.orders.place(world.user, aLimitBuy()));
  const orderId = orderIdOf(resting);
  await life.orders.stop();
  world.venue.isChannelMute = true;
  world.venue.trade(orderId, 5_000_000);
  world.venue.trade(orderIdOf(other), 20_000_000);
  world.venue.forgotten.add(orderId);
  const next = world.live(store.crash(), { seed: 'second' });
  const order = () => next.orders.get(world.user, resting.intent.intentId);
  await during(world, next.orders.recover());
  await world.clock.advance(3_600_000);
  expect(order()).toMatchObject({ state: 'live', filledShares: 5_000_000 });
  world.venue.end(orderId, 'cancelled', 'by hand');
  await world.clock.advance(3_600_000);
  expect(order()).toMatchObject({
    state: 'cancelled',
    reason: 'no longer known to the venue',
    matchedShares: 5_000_000,
    reserved: { usdc: 0 },
  });
  expect(brokenLaws(next.store, world.user)).toEqual([]);
});
