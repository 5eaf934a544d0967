import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { ORDER_KEYS } from '../../../src/services/books/tables.ts';
import type { VenueWorld } from '../../contracts/venue/fixture.ts';
import { cutPoints, type CutPoint } from '../../support/loads/crash-points.ts';
import { createExampleWorld } from '../../support/worlds/example-world.ts';
import { brokenLaws, during, endState, ordersOf } from '../../support/worlds/trading-world.ts';
import {
  liveThrough,
  once,
  passing,
  placing,
  type LifeStep,
  type LivedThrough,
} from '../../support/worlds/life-steps.ts';

function resting(key: string, ticks: number): LifeStep {
  const price = priceTicks(ticks);
  return placing(key, { type: { kind: 'limit', price, expiresAtMs: null, untilCancelled: true } });
}

function cancelling(key: string): LifeStep {
  return async ({ core }, { userId }, store) => {
    const ref = store.get(ORDER_KEYS, [userId, key])?.value;
    if (ref === undefined) throw new Error(`no order under ${key}`);
    await core.orders.cancel(ref.userId, ref.intentId).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'order_not_cancellable') throw error;
    });
  };
}

const yes = ({ market }: VenueWorld) => market.outcomes[0].tokenId;

const LIFE: readonly LifeStep[] = [
  once((world) => {
    world.quote({ tokenId: yes(world), side: 'sell', price: 5_000, shares: 100 });
    world.quote({ tokenId: yes(world), side: 'buy', price: 3_500, shares: 100 });
  }),
  async ({ core }, { userId }) => void (await core.trading.funding.syncDeposits(userId)),
  placing('buy'),
  passing(3_500),
  resting('rest', 4_000),
  passing(1_000),
  once((world) => world.take({ tokenId: yes(world), side: 'sell', price: 4_000, shares: 8 })),
  passing(3_500),
  cancelling('rest'),
  placing('sell', { side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } }),
  passing(3_500),
  once((world) => world.failTrade()),
  placing('failed'),
  passing(3_500),
  once((world) => {
    for (let sent = 0; sent < ORDER.sendsMaximum; sent += 1) world.befall('lost');
  }),
  resting('lost', 3_000),
  passing(6_000),
  cancelling('lost'),
  once((world) => world.resolve([10_000, 0])),
  async ({ core }, { market }) => core.trading.resolutionHint(market.marketId),
  passing(5_000),
];

const run = async (cut: CutPoint | null): Promise<LivedThrough> =>
  liveThrough(await createExampleWorld(), LIFE, cut);

/** What the venue holds for the user, and how many orders it took for them. */
async function venueSide({ world, life }: LivedThrough): Promise<unknown> {
  const [opened] = life.process?.opened ?? [];
  const collateral = opened?.[1].accounts.collateral(world.userId);
  return collateral === undefined ? null : during(world, collateral);
}

const whole = await run(null);
const points = cutPoints(whole.moments);

describe("a power failure at every durable step of an order's life at the example venue", () => {
  it('is tried through a purchase, a sale, a cancel, a failed trade, an order signed twice and a payout', async () => {
    expect(whole.lives).toBe(1);
    expect(
      ordersOf(whole.store).map(({ state, attempts }) => `${state} ${attempts.length}`),
    ).toEqual(['filled 1', 'cancelled 1', 'filled 1', 'filled 1', 'cancelled 2']);
    expect(brokenLaws(whole.store, whole.world.userId)).toEqual([]);
    expect(
      whole.life.process?.core.trading.portfolio.cash(whole.world.userId, 'usdc:base'),
    ).toMatchObject({
      settled: await venueSide(whole),
    });
    expect(points.length).toBeGreaterThan(80);
  });

  it('L1, L9: comes to the same end as without it', async () => {
    for (const point of points) {
      const cut = await run(point);
      const where = `${point.at} ${point.number}`;
      expect([where, cut.lives]).toEqual([where, 2]);
      expect([where, endState(cut.store)]).toEqual([where, endState(whole.store)]);
      expect([where, await venueSide(cut)]).toEqual([where, await venueSide(whole)]);
      expect([where, brokenLaws(cut.store, cut.world.userId)]).toEqual([where, []]);
    }
  });
});
