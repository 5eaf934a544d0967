import { expect, it } from 'vitest';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import { aMarketBuy, aMarketSell } from '../../support/builders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

it('L3, L4: books no payout of won shares that come back from a failed sale while others are paid: the chain has to pay them first', async () => {
  const redeemed: string[] = [];
  const { world, life, store } = await aFundedLife(100_000_000, {
    redeem: async (userId, marketId) => void redeemed.push(`${userId} ${marketId}`),
  });
  const { clock, venue, user, market } = world;
  const [lost, won] = market.outcomes;
  await during(world, life.orders.place(user, aMarketBuy({ outcome: 0 })));
  await during(world, life.orders.place(user, aMarketBuy({ outcome: 1 })));
  await clock.advance(10_000);
  const shares = balanceOf(store, user, won.tokenId).settled;
  venue.settlements.push([]);
  await during(world, life.orders.place(user, aMarketSell(shares / 1_000_000, { outcome: 1 })));
  const sale = venue.trades.at(-1);
  const { settled } = life.portfolio.cash(user, 'usdc:safe');
  await life.portfolio.recordResolution({
    marketId: market.marketId,
    payoutTicks: [0, 10_000],
    resolvedAtMs: clock.nowMs(),
  });
  // The sale fails the moment the lost position before it is closed: the shares are the user's
  // again.
  life.bus.subscribe(({ event }) => {
    if (
      event.type === 'position.changed' &&
      event.position.tokenId === lost.tokenId &&
      sale !== undefined
    )
      venue.say(sale.tradeId, 'failed');
  });

  expect(await during(world, life.portfolio.payOut(market.marketId))).toBe(false);

  expect(redeemed).toEqual([`${user} ${market.marketId}`]);
  expect(store.get(POSITIONS, [user, won.tokenId])?.value).toMatchObject({
    state: 'resolved',
    shares,
  });
  expect([
    life.portfolio.cash(user, 'usdc:safe').settled,
    balanceOf(store, user, won.tokenId).settled,
  ]).toEqual([settled, shares]);
  expect(brokenLaws(store, user)).toEqual([]);
});
