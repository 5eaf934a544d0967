import { describe, expect, it } from 'vitest';
import { aMarketBuy, aMarketSell, aLimitBuy } from '../../support/builders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

describe('placing orders', () => {
  it('fills a market buy, settles it and holds the position', async () => {
    const { world, life, store } = await aFundedLife();
    const record = await during(world, life.orders.place(world.user, aMarketBuy()));
    expect(['matched', 'filled']).toContain(record.state);
    await world.clock.advance(10_000);
    expect(life.orders.get(world.user, record.intent.intentId)?.state).toBe('filled');
    expect(life.portfolio.holdings(world.user)).toMatchObject([
      { settledShares: 20_000_000, provisionalShares: 0 },
    ]);
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toEqual({
      settled: 89_650_000,
      provisional: 0,
      reserved: 0,
      available: 89_650_000,
    });
    expect(await world.venue.collateral(world.user)).toBe(89_650_000);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('rests a limit buy and sells what was bought', async () => {
    const { world, life, store } = await aFundedLife();
    const resting = await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(resting.state).toBe('live');
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    const sold = await during(world, life.orders.place(world.user, aMarketSell(20)));
    await world.clock.advance(10_000);
    expect(life.orders.get(world.user, sold.intent.intentId)?.state).toBe('filled');
    const cancelled = await during(world, life.orders.cancel(world.user, resting.intent.intentId));
    expect(cancelled).toMatchObject({ state: 'cancelled', reserved: { usdc: 0, shares: 0 } });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L1, L9: sends no order and watches nobody once it has been stopped, and the next start sends what was stored meanwhile', async () => {
    const { world, life, store } = await aFundedLife();
    // Its commit is on the way when the stop comes.
    const placed = life.orders.place(world.user, aLimitBuy());
    await life.orders.stop();
    await world.clock.advance(1_000);
    expect((await placed).state).toBe('signed');
    const [stored] = life.orders.listOpen(world.user);
    expect([stored?.state, world.venue.orders.size, world.venue.watchers(world.user)]).toEqual([
      'signed',
      0,
      0,
    ]);
    const next = world.live(store);
    await next.orders.recover();
    await world.clock.advance(60_000);
    expect([
      next.orders.listOpen(world.user).map(({ state }) => state),
      world.venue.orders.size,
      brokenLaws(store, world.user),
    ]).toEqual([['live'], 1, []]);
  });
});
