import { describe, expect, it } from 'vitest';
import { balanceOf } from '../../../src/services/books/record-changes.ts';
import { POSITIONS } from '../../../src/services/books/tables.ts';
import type { HoldingQuery } from '../../../src/services/portfolio/portfolio.ts';
import { aMarketBuy, aMarketId, aMarketSell, aUserId } from '../../support/builders.ts';
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

describe('what a user holds', () => {
  it('is listed by market, by whether it is open, and by whether it has won, and its trades beside it', async () => {
    const { world, life } = await aFundedLife(100_000_000);
    const { clock, user, market } = world;
    const [up, down] = market.outcomes;
    await during(world, life.orders.place(user, aMarketBuy({ outcome: 0 })));
    await during(world, life.orders.place(user, aMarketBuy({ outcome: 1 })));
    await clock.advance(10_000);
    const shares = balanceOf(life.store, user, up.tokenId).settled;
    await during(world, life.orders.place(user, aMarketSell(shares / 1_000_000, { outcome: 0 })));
    await clock.advance(10_000);
    const tokens = (query?: HoldingQuery) =>
      life.portfolio.holdings(user, query).map(({ position }) => position.tokenId);
    expect(tokens().toSorted()).toEqual([up.tokenId, down.tokenId].toSorted());
    expect([tokens({ type: 'open' }), tokens({ type: 'closed' })]).toEqual([
      [down.tokenId],
      [up.tokenId],
    ]);
    expect([
      tokens({ type: 'open', marketId: market.marketId }),
      tokens({ type: 'open', marketId: aMarketId(99) }),
      tokens({ marketId: aMarketId(99) }),
    ]).toEqual([[down.tokenId], [], []]);
    expect(life.portfolio.fills(user).map(({ tokenId, side }) => `${side} ${tokenId}`)).toEqual([
      `buy ${up.tokenId}`,
      `buy ${down.tokenId}`,
      `sell ${up.tokenId}`,
    ]);
    expect(life.portfolio.fills(aUserId('nobody'))).toEqual([]);

    const resolution = { marketId: market.marketId, resolvedAtMs: clock.nowMs() };
    await life.portfolio.recordResolution({ ...resolution, payoutTicks: [0, 10_000] });
    await life.portfolio.recordResolution({ ...resolution, payoutTicks: [10_000, 0] });
    expect([tokens({ redeemable: true }), tokens({ redeemable: false })]).toEqual([
      [down.tokenId],
      [up.tokenId],
    ]);
  });
});
