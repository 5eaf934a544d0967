import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { ORDER_KEYS, ORDERS } from '../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell } from '../support/builders.ts';
import { runWithCut, type CrashRun, type Step } from '../support/checks/crash-run.ts';
import { cutPoints } from '../support/loads/crash-points.ts';
import { brokenLaws, endState } from '../support/worlds/trading-world.ts';
import { orderIdOf } from '../support/attempts.ts';

/** A caller who repeats a call that was cut off, with the same key. */
function placing(key: string, request: PlaceOrder): Step {
  return async (life, world) =>
    void (await life.orders.place(world.user, { ...request, idempotencyKey: key }));
}

/** Lets `ms` pass; repeated after a cut, as much passes again. */
function waiting(ms: number): Step {
  return (_, world) => new Promise((resolve) => void world.clock.after(ms, resolve));
}

/** Fills a part of the order made under a key, once. */
function partFill(key: string, shares: number): Step {
  return async (life, world) => {
    const ref = life.store.get(ORDER_KEYS, [world.user, key])?.value;
    const order = ref && life.store.get(ORDERS, [ref.userId, ref.intentId])?.value;
    if (order === undefined) throw new Error(`no order under ${key}`);
    const orderId = orderIdOf(order);
    if (world.venue.orders.get(orderId)?.matchedShares === 0) world.venue.trade(orderId, shares);
  };
}

function cancelling(key: string): Step {
  return async (life, world) => {
    const ref = life.store.get(ORDER_KEYS, [world.user, key])?.value;
    if (ref === undefined) throw new Error(`no order under ${key}`);
    await life.orders.cancel(ref.userId, ref.intentId).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'order_not_cancellable') throw error;
    });
  };
}

const LIFE: readonly Step[] = [
  async (life, world) => void (await life.funding.syncDeposits(world.user)),
  placing('buy', aMarketBuy()),
  waiting(10_000),
  placing('rest', aLimitBuy()),
  partFill('rest', 5_000_000),
  waiting(10_000),
  cancelling('rest'),
  waiting(10_000),
  placing('sell', aMarketSell(10)),
  waiting(10_000),
  async (_, world) => void world.venue.settlements.push([{ afterMs: 2_000, word: 'failed' }]),
  placing('ghost', aMarketBuy({ marketId: aMarketId(2) })),
  waiting(20_000),
  async (life, world) => {
    if (!world.venue.resolutions.has(world.market.marketId))
      world.venue.resolve(world.market.marketId, [10_000, 0]);
    life.resolutionHint(world.market.marketId);
  },
  waiting(120_000),
];

const whole = await runWithCut(LIFE, null);
const points = cutPoints(whole.moments);

/** Every byte the venue got for one order id is the same, and no user call made two orders. */
function wire({ world }: CrashRun): unknown {
  return {
    orders: world.venue.orders.size,
    copiesDiffer: [...world.venue.bodies.values()].some((bodies) => new Set(bodies).size > 1),
  };
}

describe("a power failure at every durable step of an order's life", () => {
  it('is tried at every commit and flush of a life with a buy, a sale, a cancel, a ghost fill and a payout', () => {
    expect(whole.lives).toBe(1);
    expect(brokenLaws(whole.store, whole.world.user)).toEqual([]);
    expect(
      whole.life.portfolio
        .holdings(whole.world.user)
        .map(({ position }) => position.state)
        .sort(),
    ).toEqual(['closed', 'redeemed']);
    expect(points.length).toBeGreaterThan(80);
  });

  it.each(points)('L1, L9: comes to the same end as without it: $at $number', async (point) => {
    const run = await runWithCut(LIFE, point);
    expect(run.lives).toBe(2);
    expect(endState(run.store)).toEqual(endState(whole.store));
    expect(wire(run)).toEqual(wire(whole));
    expect(brokenLaws(run.store, run.world.user)).toEqual([]);
    expect(run.life.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
