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

  it('L1, L9: sends no order and watches no user once it has been stopped, and the next start sends what was stored meanwhile', async () => {
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

describe('cancelling an order', () => {
  it('gives the same record once it is gone, and asks the venue once', async () => {
    const { world, life } = await aFundedLife();
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    const cancel = () => during(world, life.orders.cancel(world.user, intent.intentId));
    const gone = await cancel();
    await world.clock.advance(1_000);
    expect([gone.state, await cancel(), world.venue.cancels.length]).toEqual([
      'cancelled',
      gone,
      1,
    ]);
  });

  it('is wanted once, however often it is asked for before the venue has answered', async () => {
    const { world, life } = await aFundedLife();
    world.venue.cancelFaults.push({ kind: 'unknown', cause: 'no answer' });
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    const cancel = () => during(world, life.orders.cancel(world.user, intent.intentId));
    const wanted = await cancel();
    await world.clock.advance(1);
    world.venue.cancelFaults.push({ kind: 'unknown', cause: 'no answer' });
    expect([wanted.state, wanted.cancelWanted, await cancel()]).toEqual(['live', true, wanted]);
  });

  it('may be tried again where the venue holds the order in its delay', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    await expect(life.orders.cancel(world.user, intent.intentId)).rejects.toMatchObject({
      code: 'order_not_cancellable',
      retryable: true,
      message: "the order is in the venue's delay and cannot be cancelled before that ends",
    });
  });
});

it('there is no stop, and nothing to be swept, where none was set', async () => {
  const { life } = await aFundedLife();
  const all = { kind: 'all' } as const;
  expect([life.orders.stopOf(all), life.orders.isSweeping(all)]).toEqual([null, false]);
  await life.orders.setStop(all, true, 'alarm');
  expect(life.orders.isSweeping(all)).toBe(true);
});
