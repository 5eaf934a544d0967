import { describe, expect, it } from 'vitest';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { aLimitBuy, aMarketBuy, aMarketId } from '../../support/builders.ts';
import type { SubmitFault } from '../../support/fakes/fake-venue.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

/** Places an order under a fault and lets everything come to its end. */
async function placeUnder(faults: readonly SubmitFault[], request: PlaceOrder = aMarketBuy()) {
  const { world, life, store } = await aFundedLife();
  world.venue.submitFaults.push(...faults);
  const first = await during(world, life.orders.place(world.user, request));
  await world.clock.advance(60_000);
  const last = life.orders.get(world.user, first.intent.intentId);
  const bodies = [...world.venue.bodies.values()].flat();
  return {
    world,
    life,
    store,
    first,
    last: last ?? first,
    bodies,
    broken: brokenLaws(store, world.user),
  };
}

const filled = {
  state: 'filled',
  filledShares: 20_000_000,
  filledUsdc: 10_000_000,
  reserved: { usdc: 0, shares: 0 },
};

describe('submitting when the venue misbehaves', () => {
  it('L2: late-ack: is unknown until asked by id, and is one order', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 20_000 });
    world.venue.isChannelMute = true;
    world.venue.areReadsDown = true;
    const { state, intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(state).toBe('unknown');
    world.venue.areReadsDown = false;
    await world.clock.advance(30_000);
    expect(life.orders.get(world.user, intent.intentId)?.state).toBe('live');
    expect(world.venue.orders.size).toBe(1);
    expect([...world.venue.bodies.values()].flat()).toHaveLength(1);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('late-ack: believes the channel before the answer is in', async () => {
    const { first, bodies, broken } = await placeUnder(
      [{ kind: 'late-ack', ms: 20_000 }],
      aLimitBuy(),
    );
    expect(first.state).toBe('live');
    expect(bodies).toHaveLength(1);
    expect(broken).toEqual([]);
  });

  it('L2: lost-ack: comes right by asking, without a second sending', async () => {
    const { world, first, last, bodies, broken } = await placeUnder([{ kind: 'lost-ack' }]);
    expect(['unknown', 'filled']).toContain(first.state);
    expect(last).toMatchObject(filled);
    expect(world.venue.orders.size).toBe(1);
    expect(bodies).toHaveLength(1);
    expect(broken).toEqual([]);
  });

  it('L1: late-book: adopts the order when it appears; only the same bytes ever left', async () => {
    const { world, first, last, bodies, broken } = await placeUnder([
      { kind: 'late-book', ms: 4_000 },
      { kind: 'late-book', ms: 4_100 },
      { kind: 'late-book', ms: 4_200 },
      { kind: 'late-book', ms: 4_300 },
    ]);
    expect(first.state).toBe('unknown');
    expect(last).toMatchObject(filled);
    expect(world.venue.orders.size).toBe(1);
    expect(new Set(bodies).size).toBe(1);
    expect(broken).toEqual([]);
  });

  it('L2: late-book: fences the market meanwhile, and only that market', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push(
      { kind: 'late-book', ms: 20_000 },
      { kind: 'refused-silently' },
      { kind: 'refused-silently' },
      { kind: 'refused-silently' },
    );
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'market_fenced',
      retryable: true,
    });
    world.venue.submitFaults.length = 0;
    const other = await during(
      world,
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })),
    );
    expect(other.state).toBe('filled');
    await world.clock.advance(60_000);
    expect(life.orders.listOpen(world.user)).toEqual([]);
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('L1: refused-silently: sends the same bytes again once the venue says it does not know them', async () => {
    const { world, first, last, bodies, broken } = await placeUnder([{ kind: 'refused-silently' }]);
    expect(first.state).toBe('unknown');
    expect(last).toMatchObject({ ...filled, attempts: [{ sends: 2 }] });
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(1);
    expect(world.venue.orders.size).toBe(1);
    expect(broken).toEqual([]);
  });

  it('L2: is not called unbooked by a list of trades of which one cannot be read', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push(
      ...Array.from({ length: 9 }, (): SubmitFault => ({ kind: 'refused-silently' })),
    );
    world.venue.unreadTrades = 1;
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(120_000);
    expect(life.orders.get(world.user, intent.intentId)?.state).toBe('unknown');
    world.venue.unreadTrades = 0;
    await world.clock.advance(10_000);
    expect(life.orders.get(world.user, intent.intentId)?.state).toBe('rejected');
  });

  it('L2: is rejected only when the venue still does not know it after the late-booking horizon', async () => {
    const faults: SubmitFault[] = Array.from({ length: 9 }, () => ({ kind: 'refused-silently' }));
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push(...faults);
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(29_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({
      state: 'unknown',
      attempts: [{ sends: 4 }],
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe').reserved).toBe(10_701_000);
    await world.clock.advance(15_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({
      state: 'rejected',
      reserved: { usdc: 0, shares: 0 },
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe').reserved).toBe(0);
  });

  it('L2: a refusal of the second copy says nothing about the first', async () => {
    const { world, last, broken } = await placeUnder([
      { kind: 'late-book', ms: 10_000 },
      { kind: 'rejected', reason: 'not enough balance / allowance' },
      { kind: 'refused-silently' },
      { kind: 'refused-silently' },
    ]);
    expect(last).toMatchObject(filled);
    expect(world.venue.orders.size).toBe(1);
    expect(broken).toEqual([]);
  });

  it('retry-duplicated: looks the order up, and takes the word for neither success nor failure', async () => {
    const { last, bodies, broken } = await placeUnder([{ kind: 'duplicate' }], aLimitBuy());
    expect(last.state).toBe('live');
    expect(bodies).toHaveLength(1);
    expect(broken).toEqual([]);
  });

  it('is unknown when the venue never answers at all', async () => {
    const { first, last, broken } = await placeUnder([{ kind: 'hangs' }]);
    expect(first.state).toBe('unknown');
    expect(last.state).toBe('rejected');
    expect(broken).toEqual([]);
  });

  it('is rejected with the reason when the first answer refuses it', async () => {
    const { first, life, world, broken } = await placeUnder([
      { kind: 'rejected', reason: 'not enough balance / allowance' },
    ]);
    expect(first).toMatchObject({
      state: 'rejected',
      reason: 'not enough balance / allowance',
      reserved: { usdc: 0, shares: 0 },
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe').available).toBe(100_000_000);
    expect(broken).toEqual([]);
  });

  it("a killed FOK is cancelled with the venue's words", async () => {
    const { world, life } = await aFundedLife();
    world.venue.quote(world.market.outcomes[0].tokenId, { bid: null, ask: null });
    expect(await during(world, life.orders.place(world.user, aMarketBuy()))).toMatchObject({
      state: 'cancelled',
      reason: "order couldn't be fully filled. FOK orders are fully filled or killed.",
    });
  });

  it('fok-stuck-live: waits for the venue to decide and keeps the market fenced', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'fok-stuck-live', ms: 20_000 });
    const first = await during(world, life.orders.place(world.user, aMarketBuy()));
    expect(first.state).toBe('live');
    await expect(during(world, life.orders.place(world.user, aMarketBuy()))).rejects.toMatchObject({
      code: 'market_fenced',
    });
    await world.clock.advance(60_000);
    expect(life.orders.get(world.user, first.intent.intentId)).toMatchObject({
      state: 'cancelled',
      reserved: { usdc: 0, shares: 0 },
    });
  });

  it('delayed-then-matched: waits, and refuses to cancel with a clear reason', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 250 });
    const first = await during(world, life.orders.place(world.user, aMarketBuy()));
    expect(first.state).toBe('delayed');
    await expect(life.orders.cancel(world.user, first.intent.intentId)).rejects.toMatchObject({
      code: 'order_not_cancellable',
    });
    await world.clock.advance(10_000);
    expect(life.orders.get(world.user, first.intent.intentId)).toMatchObject(filled);
  });

  it('delayed-then-dead: releases the reservation once', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 250 });
    const placed = during(world, life.orders.place(world.user, aMarketBuy()));
    world.venue.quote(world.market.outcomes[0].tokenId, { bid: null, ask: null });
    const { intent } = await placed;
    await world.clock.advance(10_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({
      state: 'cancelled',
      reserved: { usdc: 0, shares: 0 },
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      reserved: 0,
      available: 100_000_000,
    });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('trade-before-response: is one fill of one order', async () => {
    const { life, world, last, broken } = await placeUnder([
      { kind: 'trade-before-response', ms: 300 },
    ]);
    expect(last).toMatchObject(filled);
    expect(life.portfolio.fills(world.user)).toHaveLength(1);
    expect(broken).toEqual([]);
  });

  it('engine-restart: backs off while nothing answers, then re-reads and is right', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'lost-ack' });
    world.venue.areReadsDown = true;
    world.venue.isChannelMute = true;
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(90_000);
    expect(life.orders.get(world.user, intent.intentId)?.state).toBe('unknown');
    world.venue.areReadsDown = false;
    await world.clock.advance(60_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject(filled);
    expect(life.portfolio.fills(world.user)).toMatchObject([{ settlement: 'settled' }]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('post-only-window: sends the same bytes after the wait the venue asks for', async () => {
    const { last, bodies } = await placeUnder([
      { kind: 'deferred', retryAfterMs: 1_000 },
      { kind: 'deferred', retryAfterMs: 1_000 },
    ]);
    expect(last).toMatchObject({ ...filled, attempts: [{ sends: 3 }] });
    expect(new Set(bodies).size).toBe(1);
  });

  it('rate-limited: a request that went stale while the venue took nothing is rejected, for it surely never left', async () => {
    const { first, bodies } = await placeUnder([
      { kind: 'deferred', retryAfterMs: 60_000 },
      { kind: 'deferred', retryAfterMs: 60_000 },
    ]);
    expect(first).toMatchObject({ state: 'rejected', reserved: { usdc: 0, shares: 0 } });
    expect(bodies.length).toBeLessThanOrEqual(2);
  });
});
