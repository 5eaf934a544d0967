import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aMarketBuy } from '../../support/builders.ts';
import {
  aFundedLife,
  aWorld,
  brokenLaws,
  during,
  ordersOf,
} from '../../support/worlds/trading-world.ts';
import type { Life } from '../../support/worlds/trading-world.ts';
import { sendsOf } from '../../support/attempts.ts';

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
