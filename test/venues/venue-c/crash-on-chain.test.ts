import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import { isTransactionOver } from '../../../src/domain/transaction.ts';
import type { Store } from '../../../src/ports/store.ts';
import { FILLS } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { cutPoints, type CutPoint } from '../../support/loads/crash-points.ts';
import { runs, SAMPLE_SEED } from '../../support/sampled.ts';
import {
  liveThrough,
  once,
  passing,
  placing,
  type LifeStep,
} from '../../support/worlds/life-steps.ts';
import { brokenLaws, ordersOf } from '../../support/worlds/trading-world.ts';
import {
  createVenueCChainWorld,
  type VenueCChainWorld,
} from '../../support/worlds/venue-c-chain-world.ts';

/** Cuts of each life: each is lived once more, some seconds long. */
const CUTS = runs(2, 24);
const AGAIN_MS = 1_000;
const TRIES = 120;

/** Asks again for what is refused for the moment, as a caller does. */
const insisting =
  (step: LifeStep): LifeStep =>
  async (process, world, store) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        return await step(process, world, store);
      } catch (cause) {
        if (!(cause instanceof AppError) || !cause.retryable) throw cause;
        await passing(AGAIN_MS)(process, world, store);
      }
    }
    throw new Error('a step comes to nothing');
  };

/** Waits until something of the process is so. */
const until =
  (isSo: (...given: Parameters<LifeStep>) => boolean): LifeStep =>
  async (process, world, store) => {
    for (let tries = 0; tries < TRIES * 4; tries += 1) {
      if (isSo(process, world, store)) return;
      await passing(AGAIN_MS)(process, world, store);
    }
    throw new Error('it does not come');
  };

const funded: LifeStep = async (process, world, store) => {
  const { trading } = process.core;
  for (;;) {
    await trading.funding.syncDeposits(world.userId);
    if (trading.portfolio.cash(world.userId, 'usdc:base').settled > 0) return;
    await passing(AGAIN_MS)(process, world, store);
  }
};
const settled = until(
  (_process, _world, store) =>
    ordersOf(store).every(({ state }) => isTerminal(state)) &&
    store.range(FILLS).every(({ value: { settlement } }) => settlement !== 'provisional'),
);
const ended: LifeStep = async ({ core }, world) => {
  (world as VenueCChainWorld).end([1_000_000, 0]);
  core.trading.resolutionHint(world.market.marketId);
};
const paid = until(
  ({ core }, { userId, market }) =>
    core.trading.portfolio.holdings(userId, { type: 'open', marketId: market.marketId }).length ===
    0,
);
const claims = (store: Store) =>
  store
    .range(TRANSACTIONS)
    .flatMap(({ value: { purpose, state } }) =>
      purpose.kind === 'venue_redemption' ? [state] : [],
    );
const claimed = until((_process, _world, store) =>
  claims(store).some((state) => isTransactionOver(state)),
);
/** The claim whose block was taken back has left the books, by whatever life. */
const unpaid: LifeStep = async (process, world, store) => {
  for (let tries = 0; tries < TRIES * 4; tries += 1) {
    if (claims(store).includes('failed')) return;
    await process.core.trading.funding.syncDeposits(world.userId, world.row.id);
    await passing(AGAIN_MS)(process, world, store);
  }
  throw new Error('the claim stays in the books');
};
const SALE = { side: 'sell', amount: { unit: 'shares', micros: 5_000_000 } } as const;

/** What goes through a wallet: a right and an order, a pool's trades, a claim. */
const LIVES: readonly (readonly [
  name: string,
  mechanism: 'order_book' | 'pool',
  steps: readonly LifeStep[],
  orders: readonly string[],
])[] = [
  [
    'a right and the purchase that needs it',
    'order_book',
    [
      once((world) => {
        const { tokenId } = world.market.outcomes[0];
        world.quote({ tokenId, side: 'sell', price: 5_000, shares: 100 });
      }),
      funded,
      insisting(placing('buy')),
      settled,
    ],
    ['buy filled'],
  ],
  [
    "a pool's purchase and sale, and the claim of what was won",
    'pool',
    [
      funded,
      insisting(placing('buy')),
      settled,
      insisting(placing('sell', SALE)),
      settled,
      ended,
      paid,
    ],
    ['buy filled', 'sell filled'],
  ],
  [
    'a claim whose block is taken back and that fails then, and the one after it',
    'pool',
    [
      funded,
      insisting(placing('buy')),
      settled,
      ended,
      claimed,
      once((world) => (world as VenueCChainWorld).endTakenBack()),
      insisting(unpaid),
      once((world) => (world as VenueCChainWorld).reported()),
      paid,
    ],
    ['buy filled'],
  ],
];

/** Lives it, and says what it came to: books and chain to the atom, and what breaks a law. */
async function lived(
  mechanism: 'order_book' | 'pool',
  steps: readonly LifeStep[],
  cut: CutPoint | null,
) {
  const world = await createVenueCChainWorld(mechanism);
  try {
    const { store, life, lives, moments } = await liveThrough(world, steps, cut);
    const { process } = life;
    if (process === null) throw new Error('a life has a process');
    const { portfolio } = process.core.trading;
    const cash = portfolio.cash(world.userId, 'usdc:base');
    const [{ tokenId }] = world.market.outcomes;
    const held = portfolio
      .holdings(world.userId, { type: 'open', marketId: world.market.marketId })
      .reduce((sum, { settledShares }) => sum + settledShares, 0);
    const end = {
      orders: ordersOf(store).map(({ state, intent }) => `${intent.side} ${state}`),
      cash: [cash.settled, cash.provisional, cash.reserved],
      held,
      laws: brokenLaws(store, world.userId),
    };
    const chain = {
      cash: [Number(await world.on.dollars(world.user.account)), 0, 0],
      held: Number(await world.on.shares(world.user.account, tokenId)),
    };
    await process.core.stop();
    process.stopCarrying();
    await process.closeVenues();
    return { end, chain, lives, moments };
  } finally {
    await world.closed();
  }
}

describe('a power failure at a durable step of what a wallet does on chain 8453', () => {
  it.each(LIVES)(
    'L1, L4, L9: comes to the end of the life without it, as the chain has it: %s',
    { timeout: 1_800_000 },
    async (name, mechanism, steps, orders) => {
      const whole = await lived(mechanism, steps, null);
      expect(whole.end).toEqual({ orders, ...whole.chain, laws: [] });
      const points = cutPoints(whole.moments);
      expect(points.length).toBeGreaterThan(40);
      const random = createSeededRandom(`${SAMPLE_SEED}:${name}`);
      let cuts = 0;
      for (let number = 0; number < CUTS; number += 1) {
        const point = points[random.integer(points.length)];
        if (point === undefined) continue;
        const where = `${point.at} ${point.number}`;
        const cut = await lived(mechanism, steps, point);
        cuts += cut.lives - 1;
        expect([where, cut.end]).toEqual([where, { orders, ...cut.chain, laws: [] }]);
      }
      // The machine decides how often a chain is asked: the last of all points may not come.
      expect(cuts).toBeGreaterThanOrEqual(CUTS / 2);
    },
  );
});
