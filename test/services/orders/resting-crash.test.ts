import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { Store } from '../../../src/ports/store.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import { aLimitBuy, aMarketId, T0 } from '../../support/builders.ts';
import { runWithCut, type CrashRun, type Step } from '../../support/checks/crash-run.ts';
import { cutPoints, type CutPoint } from '../../support/loads/crash-points.ts';
import { aKeptWorld, type KeptWorld } from '../../support/worlds/kept-world.ts';
import { brokenLaws, ordersOf, type World } from '../../support/worlds/trading-world.ts';

const wait = ({ clock }: World, ms: number) =>
  new Promise<void>((resolve) => void clock.after(ms, resolve));

const named = (name: string) => ({ idempotencyKey: name, clientOrderId: name });
const orderNamed = (store: Store, name: string) =>
  ordersOf(store).find(({ intent }) => intent.clientOrderId === name);

/**
 * One order is filled in two parts, one taken back, one runs out of time; all rest with the
 * service.
 */
function aDay(world: KeptWorld): readonly Step[] {
  return [
    async (life, { user }) => {
      await life.funding.syncDeposits(user);
    },
    async (life, { user }) => {
      await life.orders.place(user, aLimitBuy(named('filled')));
      for (const [key, expiresAtMs] of [
        ['taken-back', null],
        ['out-of-time', T0 + 60_000],
      ] as const)
        await life.orders.place(
          user,
          aLimitBuy({
            marketId: aMarketId(2),
            ...named(key),
            type: { kind: 'limit', price: priceTicks(3_500), expiresAtMs },
          }),
        );
    },
    async () => {
      if (world.venue.trades.length === 0) world.offer([4_000, 5]);
      await wait(world, ORDER.restingIntervalMs + 100);
      world.offer(null);
      await wait(world, 30_000);
    },
    async (life, { user }) => {
      const order = orderNamed(life.store, 'taken-back');
      if (order?.state === 'live') await life.orders.cancel(user, order.intent.intentId);
      world.offer([3_900, 1_000]);
      await wait(world, 120_000);
    },
  ];
}

async function run(cut: CutPoint | null) {
  const world = aKeptWorld();
  const { store, moments }: CrashRun = await runWithCut(aDay(world), cut, world);
  const ends = [
    ['filled', 'taken-back', 'out-of-time'].map((name) => {
      const order = orderNamed(store, name);
      return [order?.state, order?.filledShares, order?.reserved.usdc];
    }),
    world.venue.trades.reduce((sum, { legs }) => sum + (legs[0]?.shares ?? 0), 0),
    store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind),
    brokenLaws(store, world.user),
  ];
  const openAttempts = ordersOf(store).flatMap(({ attempts }) =>
    attempts.filter(({ ended }) => ended === null),
  );
  return { moments, ends, openAttempts };
}

describe('a power failure at every durable step of orders that rest with the service', () => {
  it('L1, L9: leaves each with its one end: not a share, a cent or a notification more or less', async () => {
    const whole = await run(null);
    expect(whole.ends).toEqual([
      [
        ['filled', 20_000_000, 0],
        ['cancelled', 0, 0],
        ['expired', 0, 0],
      ],
      20_000_000,
      ['deposit_booked', 'trade', 'order_expired'],
      [],
    ]);
    for (const point of cutPoints(whole.moments)) {
      const { ends, openAttempts } = await run(point);
      expect([point, ends, openAttempts]).toEqual([point, whole.ends, []]);
    }
  });
});
