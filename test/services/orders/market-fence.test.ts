import { describe, expect, it } from 'vitest';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { ORDERS } from '../../../src/services/books/tables.ts';
import { aMarketBuy, aMarketId } from '../../support/builders.ts';
import { aFundedLife, brokenLaws, during } from '../../support/worlds/trading-world.ts';

const HELD_MS = 250;
const ONE_DOLLAR = { amount: { unit: 'usdc', micros: 1_000_000 } } as const;
const buy = (change: Partial<PlaceOrder> = {}) => aMarketBuy({ ...ONE_DOLLAR, ...change });

type Life = Awaited<ReturnType<typeof aFundedLife>>;

/** Places so many at once, each of which the venue holds. */
function placeAll({ world, life }: Life, count: number, change: Partial<PlaceOrder>) {
  const { submitFaults } = world.venue;
  submitFaults.push(
    ...Array.from({ length: count }, () => ({ kind: 'delayed', ms: HELD_MS }) as const),
  );
  const calls = Array.from({ length: count }, () => life.orders.place(world.user, buy(change)));
  return during(world, Promise.allSettled(calls));
}

describe('an order behind one that the venue holds before it matches it', () => {
  it('waits for it within its own time: ten at once on one market are ten orders', async () => {
    const opened = await aFundedLife();
    const settled = await placeAll(opened, 10, { fenceWaitMs: 5_000 });
    expect(settled.map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, () => 'fulfilled'),
    );
    await opened.world.clock.advance(10_000);
    expect(opened.world.venue.orders.size).toBe(10);
    expect(opened.life.portfolio.cash(opened.world.user, 'usdc:safe').reserved).toBe(0);
    expect(brokenLaws(opened.store, opened.world.user)).toEqual([]);
  });

  it('is refused once its time is over, and not before', async () => {
    const opened = await aFundedLife();
    const { world } = opened;
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    await during(world, opened.life.orders.place(world.user, buy()));
    const fromMs = world.clock.nowMs();
    const refused = opened.life.orders
      .place(world.user, buy({ fenceWaitMs: 2_000 }))
      .catch((error: unknown) => error);
    await world.clock.advance(1_999);
    expect(world.venue.orders.size).toBe(1);
    const error = await during(world, refused);
    expect(error).toMatchObject({ code: 'market_fenced', retryable: true });
    expect(world.clock.nowMs() - fromMs).toBeGreaterThanOrEqual(2_000);
  });

  it('says what it waits for, since when, and for how long at most', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    const { intent } = await during(world, life.orders.place(world.user, buy()));
    await world.clock.advance(1_500);
    const message = `order ${intent.intentId} is held by the venue before it is matched, for 1.5 s so far, ${VENUE_A_TRAITS.heldMaximumMs / 1_000}.0 s at most`;
    await expect(life.orders.place(world.user, buy())).rejects.toMatchObject({
      code: 'market_fenced',
      message: `${message}; nothing was sent`,
      fields: [{ path: '/marketId', message }],
      retryAfterMs: expect.any(Number) as number,
    });
  });

  it.each([
    ['signed', 'is on its way to the venue'],
    ['submitting', 'is on its way to the venue'],
    ['unknown', "is being looked up, since the venue's answer is missing"],
  ] as const)('says of one that is %s that it %s', async (state, what) => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    const order = await during(world, life.orders.place(world.user, buy()));
    const { intentId } = order.intent;
    await store.write((tx) => tx.put(ORDERS, [world.user, intentId], { ...order, state }));
    await expect(life.orders.place(world.user, buy())).rejects.toMatchObject({
      code: 'market_fenced',
      message: `order ${intentId} ${what}, for 0.0 s so far; nothing was sent`,
    });
  });

  it('is refused at once where no caller waits, as agents do not', async () => {
    const opened = await aFundedLife();
    const settled = await placeAll(opened, 3, {});
    expect(
      settled.map((one) =>
        one.status === 'rejected' && one.reason instanceof AppError ? one.reason.code : one.status,
      ),
    ).toEqual(['fulfilled', 'market_fenced', 'market_fenced']);
  });

  it('does not keep orders on other markets waiting', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    await during(world, life.orders.place(world.user, buy()));
    const behind = life.orders.place(world.user, buy({ fenceWaitMs: 4_000 }));
    behind.catch(() => undefined);
    const fromMs = world.clock.nowMs();
    const other = life.orders.place(world.user, buy({ marketId: aMarketId(2) }));
    expect(['matched', 'filled']).toContain((await during(world, other)).state);
    expect(world.clock.nowMs() - fromMs).toBeLessThan(4_000);
    await expect(during(world, behind)).rejects.toMatchObject({ code: 'market_fenced' });
  });

  it('L2: does not wait for one whose answer is missing, and says so', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 60_000 });
    world.venue.isChannelMute = true;
    world.venue.areReadsDown = true;
    const first = await during(world, life.orders.place(world.user, buy()));
    expect(first.state).toBe('unknown');
    await expect(life.orders.place(world.user, buy({ fenceWaitMs: 5_000 }))).rejects.toMatchObject({
      code: 'market_fenced',
      message: expect.stringContaining("since the venue's answer is missing") as string,
    });
  });
});
