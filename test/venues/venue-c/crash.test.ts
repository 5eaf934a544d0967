import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { cutPoints, type CutPoint } from '../../support/loads/crash-points.ts';
import { brokenLaws, during, ordersOf } from '../../support/worlds/trading-world.ts';
import {
  liveThrough,
  once,
  passing,
  placing,
  type LifeStep,
  type LivedThrough,
} from '../../support/worlds/life-steps.ts';
import { createVenueCWorld } from '../../support/worlds/venue-c-world.ts';

/** Cuts tried: each is the whole life once more. */
const CUTS = 8;

/** Every order ends that does not rest, and every fill is final, in this. */
const SETTLED_MS = 60_000;
const REST = { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null, untilCancelled: true };

const LIFE: readonly LifeStep[] = [
  once((world) => {
    const { tokenId } = world.market.outcomes[0];
    world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
    world.quote({ tokenId, side: 'buy', price: 3_500, shares: 100 });
  }),
  async ({ core }, { userId }) => void (await core.trading.funding.syncDeposits(userId)),
  passing(1_000),
  placing('buy'),
  passing(SETTLED_MS),
  placing('rest', { type: REST as PlaceOrder['type'] }),
  passing(1_000),
  once((world) => {
    const { tokenId } = world.market.outcomes[0];
    world.take({ tokenId, side: 'sell', price: 4_000, shares: 20 });
  }),
  passing(SETTLED_MS),
  placing('sell', { side: 'sell', amount: { unit: 'shares', micros: 10_000_000 } }),
  passing(SETTLED_MS),
];

const run = async (cut: CutPoint | null): Promise<LivedThrough> =>
  liveThrough(await createVenueCWorld(), LIFE, cut);

/** What became of it: each order, what the books say, and what the venue holds. */
async function endOf({ world, store, life }: LivedThrough) {
  const [opened] = life.process?.opened ?? [];
  const cash = life.process?.core.trading.portfolio.cash(world.userId, 'usdc:base');
  const held = await during(
    world,
    opened?.[1].accounts.collateral(world.userId) ?? Promise.resolve(-1),
  );
  return {
    orders: ordersOf(store).map(
      ({ state, intent, filledShares }) => `${intent.side} ${state} ${filledShares}`,
    ),
    cash: [cash?.settled, cash?.provisional, cash?.reserved],
    held,
    laws: brokenLaws(store, world.userId),
  };
}

const END = {
  orders: ['buy filled 20000000', 'buy filled 20000000', 'sell filled 10000000'],
  // A thousand, less 10 and 8 for forty shares, and 3.5 less 205 basis points for the ten sold.
  cash: [985_428_250, 0, 0],
  held: 985_428_250,
  laws: [],
};

const whole = await run(null);
const points = cutPoints(whole.moments);
const random = createSeededRandom('venue_c');
const sample = Array.from({ length: CUTS }, () => points[random.integer(points.length)]).flatMap(
  (point) => point ?? [],
);

describe("a power failure at a durable step of an order's life at venue_c", () => {
  it('is tried through a purchase, a limit that is met, and a sale', async () => {
    expect(await endOf(whole)).toEqual(END);
    expect([whole.lives, points.length > 30]).toEqual([1, true]);
  });

  it('L1, L4, L9: comes to the same end at the venue and in the books as without it', async () => {
    for (const point of sample) {
      const cut = await run(point);
      const where = `${point.at} ${point.number}`;
      expect([where, cut.lives]).toEqual([where, 2]);
      expect([where, await endOf(cut)]).toEqual([where, END]);
    }
  });
});
