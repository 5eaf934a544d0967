import { expect, it } from 'vitest';
import { POSITIONS, VENUE_RESULTS } from '../../../src/services/books/tables.ts';
import { venueResultsOf } from '../../../src/services/books/venue-results.ts';
import { aMarketBuy } from '../../support/builders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';

/** A life in which one outcome was bought of two, and the other won. */
async function aLoss() {
  const { world, life, store } = await aFundedLife(100_000_000);
  await during(world, life.orders.place(world.user, aMarketBuy({ outcome: 0 })));
  await world.clock.advance(10_000);
  const [held] = life.portfolio.holdings(world.user);
  await life.portfolio.recordResolution({
    marketId: world.market.marketId,
    payoutTicks: [0, 10_000],
    resolvedAtMs: world.clock.nowMs(),
  });
  await life.portfolio.payOut(world.market.marketId);
  return { world, life, store, cost: held?.position.costUsdc ?? 0 };
}

it('what positions came to is kept by venue, those placed manually among them', async () => {
  const { world, life, store, cost } = await aLoss();
  const [position] = store.range(POSITIONS, { prefix: [world.user] });
  const expected = {
    [VENUE_A]: {
      wins: 0,
      losses: 1,
      realisedUsdc: -cost,
      feesUsdc: position?.value.feesUsdc,
    },
  };
  expect(life.portfolio.results(world.user)).toEqual(expected);
  expect(store.get(VENUE_RESULTS, [world.user])?.value).toEqual(expected);
});

it('a store from before it was kept counts what is there already, once', async () => {
  const { world, life, store } = await aLoss();
  const kept = venueResultsOf(store, world.user);
  await store.write((tx) => tx.remove(VENUE_RESULTS, [world.user]));
  expect(venueResultsOf(store, world.user)).toEqual(kept);
  await during(world, life.orders.place(world.user, aMarketBuy({ outcome: 1 })));
  await world.clock.advance(10_000);
  const after = venueResultsOf(store, world.user)[VENUE_A];
  expect([after?.losses, after?.realisedUsdc]).toEqual([1, kept[VENUE_A]?.realisedUsdc]);
  expect((after?.feesUsdc ?? 0) > (kept[VENUE_A]?.feesUsdc ?? 0)).toBe(true);
});

it('a position that was sold in part counts as sold so far, and once when it has ended', async () => {
  const { world, life, store } = await aFundedLife(100_000_000);
  await during(world, life.orders.place(world.user, aMarketBuy({ outcome: 0 })));
  await world.clock.advance(10_000);
  const [bought] = store.range(POSITIONS, { prefix: [world.user] });
  const results = () => life.portfolio.results(world.user)[VENUE_A];
  expect([results()?.wins, results()?.losses]).toEqual([0, 0]);
  await during(
    world,
    life.orders.place(world.user, {
      ...aMarketBuy({ outcome: 0 }),
      side: 'sell',
      amount: { unit: 'shares', micros: 1_000_000 },
    }),
  );
  await world.clock.advance(10_000);
  const [sold] = store.range(POSITIONS, { prefix: [world.user] });
  expect(sold?.value.shares).toBe((bought?.value.shares ?? 0) - 1_000_000);
  // the fee and the spread made it a loss
  expect((sold?.value.realizedPnl ?? 0) < 0).toBe(true);
  expect([results()?.wins, results()?.losses]).toEqual([0, 1]);
  await life.portfolio.recordResolution({
    marketId: world.market.marketId,
    payoutTicks: [0, 10_000],
    resolvedAtMs: world.clock.nowMs(),
  });
  await life.portfolio.payOut(world.market.marketId);
  expect([results()?.wins, results()?.losses]).toEqual([0, 1]);
});
