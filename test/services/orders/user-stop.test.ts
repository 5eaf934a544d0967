import { describe, expect, it } from 'vitest';
import { NOTIFICATION } from '../../../config/limits/notification.ts';
import type { NotificationFacts } from '../../../src/domain/notification.ts';
import { notificationText } from '../../../src/domain/notification-table.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { StopScope } from '../../../src/services/orders/stop-check.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aMarketSell, aUserId } from '../../support/builders.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  ordersOf,
  type Life,
} from '../../support/worlds/trading-world.ts';

const WHY = 'you stopped your trading: POST /api/user/resume lets it go on';

function stopNotifications(life: Life): readonly NotificationFacts[] {
  return life.bus.entries.flatMap(({ event }) =>
    event.type === 'notification.made' && event.notification.facts.kind.startsWith('trading_')
      ? [event.notification.facts]
      : [],
  );
}

/** A user who holds 20 shares and has two bids and an offer resting. */
async function aTrader() {
  const { world, life, store } = await aFundedLife();
  const { user } = world;
  await during(world, life.orders.place(user, aMarketBuy()));
  await world.clock.advance(10_000);
  await during(world, life.orders.place(user, aLimitBuy()));
  await during(world, life.orders.place(user, aLimitBuy({ marketId: aMarketId(2) })));
  await during(
    world,
    life.orders.place(user, {
      ...aMarketSell(5),
      type: { kind: 'limit', price: priceTicks(9_000), expiresAtMs: null },
    }),
  );
  return { world, life, store, user, self: { kind: 'self', userId: user } as const };
}

const statesOf = (store: Parameters<typeof ordersOf>[0]) =>
  ordersOf(store).map(({ intent, state }) => `${intent.side} ${state}`);

describe('a stop that users set for themselves', () => {
  it('L6: takes open buys off the venue, buys nothing until it is lifted, and locks no position in', async () => {
    const { world, life, store, user, self } = await aTrader();
    expect(await during(world, life.orders.setStop(self, true, 'a break'))).toEqual({
      stopped: true,
      reason: 'a break',
      atMs: expect.any(Number),
      policy: 'cancel_only',
    });
    await expect(life.orders.place(user, aMarketBuy())).rejects.toMatchObject({
      code: 'trading_stopped',
      message: WHY,
    });
    await world.clock.advance(20_000);
    expect([statesOf(store), life.orders.isSweeping(self)]).toEqual([
      ['buy filled', 'buy cancelled', 'buy cancelled', 'sell live'],
      false,
    ]);
    expect(ordersOf(store).map(({ cancelledBy }) => cancelledBy ?? null)).toEqual([
      null,
      'stop',
      'stop',
      null,
    ]);
    expect((await during(world, life.orders.place(user, aMarketSell(10)))).state).toBe('filled');
    await during(world, life.orders.setStop(self, false, 'back'));
    expect((await during(world, life.orders.place(user, aMarketBuy()))).state).toBe('filled');
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('keeps its reason while it is set, also as it comes to cancel, until another is given', async () => {
    const { world, life, self } = await aTrader();
    const stop = async (reason: string | null, policy: 'keep' | 'cancel_only') => {
      await world.clock.advance(1_000);
      return (await during(world, life.orders.setStop(self, true, reason, policy))).reason;
    };
    expect([
      await stop('a break', 'keep'),
      await stop(null, 'keep'),
      await stop(null, 'cancel_only'),
    ]).toEqual(['a break', 'a break', 'a break']);
    const since = life.orders.stopOf(self)?.atMs;
    expect(await stop('still away', 'cancel_only')).toBe('still away');
    expect(life.orders.stopOf(self)).toEqual({
      stopped: true,
      reason: 'still away',
      atMs: since,
      policy: 'cancel_only',
    });
    await during(world, life.orders.setStop(self, false, 'back'));
    expect(await stop(null, 'keep')).toBe('stopped by the user');
  });

  it('needs no reason, not even the first time', async () => {
    const { world, life } = await aFundedLife();
    const self: StopScope = { kind: 'self', userId: world.user };
    expect((await life.orders.setStop(self, true, null)).reason).toBe('stopped by the user');
  });

  it('L6: keeps open buys where it is asked to, and is theirs alone', async () => {
    const { world, life, store, user, self } = await aTrader();
    world.venue.deposit(aUserId(2), 100_000_000);
    await life.funding.syncDeposits(aUserId(2));
    await during(world, life.orders.setStop(self, true, 'a break', 'keep'));
    await world.clock.advance(20_000);
    expect(statesOf(store)).toEqual(['buy filled', 'buy live', 'buy live', 'sell live']);
    expect((await during(world, life.orders.place(aUserId(2), aMarketBuy()))).state).toBe('filled');
    expect(brokenLaws(store, user)).toEqual([]);
  });

  it('L6: is seen where bytes leave, and holds after a restart', async () => {
    const { world, life, store, user, self } = await aTrader();
    const placed = life.orders.place(user, aMarketBuy());
    await life.orders.setStop(self, true, 'a break');
    expect(await during(world, placed)).toMatchObject({ state: 'rejected', reason: WHY });
    life.die();
    const next = world.live(store, { seed: 'next' });
    await next.orders.recover();
    await world.clock.advance(30_000);
    expect(statesOf(store)).toEqual([
      'buy filled',
      'buy cancelled',
      'buy cancelled',
      'sell live',
      'buy rejected',
    ]);
    await expect(next.orders.place(user, aMarketBuy())).rejects.toMatchObject({ message: WHY });
  });

  it("L6: and the operator's hold each by itself: neither lifts the other", async () => {
    const { world, life, user, self } = await aTrader();
    const operators = { kind: 'user', userId: user } as const;
    for (const scope of [self, operators])
      await during(world, life.orders.setStop(scope, true, 'alarm'));
    await during(world, life.orders.setStop(self, false, 'back'));
    await expect(life.orders.place(user, aMarketBuy())).rejects.toMatchObject({
      message: `buying is stopped for user ${user}`,
    });
    await during(world, life.orders.setStop(self, true, 'a break'));
    await during(world, life.orders.setStop(operators, false, 'over'));
    await expect(life.orders.place(user, aMarketBuy())).rejects.toMatchObject({ message: WHY });
  });

  it('is reported to its user once for each time, and says by whom', async () => {
    const { world, life, self, user } = await aTrader();
    await during(world, life.orders.setStop(self, true, 'a break'));
    await during(world, life.orders.setStop(self, true, 'again'));
    await during(world, life.orders.setStop({ kind: 'user', userId: user }, true, 'alarm'));
    await during(world, life.orders.setStop(self, false, 'back'));
    await during(world, life.orders.setStop({ kind: 'user', userId: user }, false, 'over'));
    expect(stopNotifications(life)).toEqual([
      {
        kind: 'trading_stopped',
        by: 'user',
        reason: 'a break',
        found: { openBuys: 2, areCancelled: true, positions: 1 },
      },
      {
        kind: 'trading_stopped',
        by: 'operator',
        reason: 'alarm',
        found: { openBuys: 2, areCancelled: true, positions: 1 },
      },
      { kind: 'trading_resumed', by: 'user', reason: 'back', stillStoppedBy: ['operator'] },
      { kind: 'trading_resumed', by: 'operator', reason: 'over', stillStoppedBy: [] },
    ]);
  });

  it('is reported as lifted with the stops that are still set, and never as trading that goes on', async () => {
    const { world, life, self, user } = await aTrader();
    const set = (scope: StopScope, stopped: boolean) =>
      during(world, life.orders.setStop(scope, stopped, 'why'));
    const all = { kind: 'all' } as const;
    const ofUser = { kind: 'user', userId: user } as const;
    for (const scope of [all, ofUser, self]) await set(scope, true);
    for (const scope of [ofUser, all, self]) await set(scope, false);
    for (const scope of [all, self]) await set(scope, true);
    for (const scope of [self, all]) await set(scope, false);
    const lifted = stopNotifications(life).filter(({ kind }) => kind === 'trading_resumed');
    expect(lifted.map((facts) => notificationText(facts, NOTIFICATION))).toEqual([
      {
        title: 'A stop of the operator is lifted',
        body: 'Nothing is bought for you yet: the stop of the operator is still set. Nothing is bought for you until you resume your trading: your own stop is still set. The reason: “why”',
      },
      {
        title: 'You resumed your trading',
        body: 'Orders are taken again, and agents that are enabled go on.',
      },
      {
        title: 'You lifted your own stop',
        body: 'Nothing is bought for you yet: the stop of the operator is still set.',
      },
    ]);
  });
});

describe('cancelling everything', () => {
  it('ends every open order, sales too, and says what became of each; again it finds nothing', async () => {
    const { world, life, store, user } = await aTrader();
    const outcomes = (await during(world, life.orders.cancelAll(user))).map(
      ({ order, outcome }) => [order.intent.side, order.state, outcome],
    );
    expect(outcomes).toEqual([
      ['sell', 'cancelled', 'cancelled'],
      ['buy', 'cancelled', 'cancelled'],
      ['buy', 'cancelled', 'cancelled'],
    ]);
    expect([
      await life.orders.cancelAll(user),
      await life.orders.cancelAll(aUserId(2)),
      brokenLaws(store, user),
    ]).toEqual([[], [], []]);
  });

  it('says of an order in the delay of the venue why it is not cancelled, and of one whose cancel got no answer that it goes on', async () => {
    const { world, life } = await aFundedLife();
    const resting = await during(
      world,
      life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(2) })),
    );
    world.venue.submitFaults.push({ kind: 'delayed', ms: 60_000 });
    await during(world, life.orders.place(world.user, aMarketBuy()));
    world.venue.cancelFaults.push({ kind: 'unknown', cause: 'no answer' });
    const outcomes = (await during(world, life.orders.cancelAll(world.user))).map(
      ({ order, outcome, reason }) => [
        order.intent.intentId === resting.intent.intentId,
        outcome,
        reason,
      ],
    );
    expect(outcomes).toEqual([
      [false, 'refused', expect.stringContaining("in the venue's delay")],
      [true, 'pending', null],
    ]);
  });
});
