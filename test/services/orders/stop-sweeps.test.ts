import { describe, expect, it } from 'vitest';
import { STOP_SWEEP } from '../../../config/limits/risk.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { stopKey, writeStop, type StopScope } from '../../../src/services/orders/stop-check.ts';
import { createStopSweeps } from '../../../src/services/orders/stop-sweeps.ts';
import { OPEN_ORDERS, ORDERS, STOP_SWEEPS } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import {
  aWorld,
  brokenLaws,
  during,
  ordersOf,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

const OPERATOR = { kind: 'all' } as const;

/** An operator of several users, each with this many bids resting. */
async function aRestingMaker(users: number, bids: number) {
  const world = aWorld();
  const store = createMemoryStore();
  const life = world.live(store);
  await life.orders.recover();
  const ids = Array.from({ length: users }, (_, index) => aUserId(index + 1));
  for (const userId of ids) {
    if (userId !== world.user) world.venue.deposit(userId, 100_000_000);
    await life.funding.syncDeposits(userId);
    for (let bid = 0; bid < bids; bid += 1)
      await during(world, life.orders.place(userId, aLimitBuy()));
  }
  return { world, store, life, ids };
}

function statesOf(life: Life, userId?: UserId): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { intent, state } of ordersOf(life.store))
    if (userId === undefined || intent.userId === userId)
      counts[`${intent.side} ${state}`] = (counts[`${intent.side} ${state}`] ?? 0) + 1;
  return counts;
}

const gauge = ({ metrics }: Life) => metrics.counts.get('stop_sweeps_open');
const settle = (world: World) => world.clock.advance(20_000);

/** Sweeps that learn late of what they stored: `meanwhile` happens before. */
function slowSweeps(meanwhile: (commit: Commit) => Promise<unknown>) {
  const clock = createVirtualClock(T0);
  const [store, bus, log, metrics] = [
    createMemoryStore(),
    createKeptBus(),
    createKeptLog(),
    createKeptMetrics(),
  ];
  const commit = createCommit({ store, bus, metrics });
  const late: Commit = async (change) => {
    const result = await commit(change);
    await meanwhile(commit);
    return result;
  };
  createStopSweeps({
    store,
    bus,
    clock,
    log,
    metrics,
    commit: late,
    orders: { cancel: () => Promise.reject(new Error('nothing is open')) },
  });
  return { store, clock, commit };
}

describe('a stop of the operator', () => {
  it('L6: with cancel_only, the default, takes every open buy of everybody off the venue, and then says it is done', async () => {
    const { world, life, store, ids } = await aRestingMaker(3, 2);
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm'));
    expect([life.orders.isSweeping(OPERATOR), life.orders.stopOf(OPERATOR)]).toEqual([
      true,
      { stopped: true, reason: 'alarm', atMs: expect.any(Number), policy: 'cancel_only' },
    ]);
    await settle(world);
    expect([
      statesOf(life),
      life.orders.isSweeping(OPERATOR),
      gauge(life),
      store.range(STOP_SWEEPS),
    ]).toEqual([{ 'buy cancelled': 6 }, false, 0, []]);
    for (const userId of ids) expect(brokenLaws(store, userId)).toEqual([]);
  });

  it('L6: is swept for also when it is lifted and set anew while the sweep before it ends', async () => {
    let times = 0;
    const set = (commit: Commit, stopped: boolean) =>
      commit((tx) =>
        writeStop(tx, {
          scope: OPERATOR,
          stopped,
          reason: 'alarm',
          policy: 'cancel_only',
          atMs: T0,
        }),
      );
    const { store, clock, commit } = slowSweeps(async (unhindered) => {
      times += 1;
      if (times === 1) await Promise.all([set(unhindered, false), set(unhindered, true)]);
    });
    await set(commit, true);
    await clock.advance(20_000);
    expect([times, store.range(STOP_SWEEPS)]).toEqual([2, []]);
  });

  it('L6: takes off what was bought while it was lifted for a moment, in the middle of a sweep of many orders', async () => {
    const { world, life, store } = await aRestingMaker(0, 0);
    await life.funding.syncDeposits(world.user);
    await store.write((tx) => {
      for (let other = 0; other < 10 * STOP_SWEEP.ordersPerBatch; other += 1)
        tx.put(OPEN_ORDERS, ['usr_~', `int_${other}`], {
          sinceMs: T0,
          venue: 'venue_a',
          marketId: world.market.marketId,
          isFencing: false,
        });
    });
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm'));
    await world.clock.advance(STOP_SWEEP.betweenBatchesMs * 2);
    await during(world, life.orders.setStop(OPERATOR, false, 'over'));
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm'));
    await settle(world);
    expect([
      statesOf(life),
      life.orders.isSweeping(OPERATOR),
      life.log.lines.filter(({ event }) => event === 'stop.swept').length,
    ]).toEqual([{ 'buy cancelled': 1 }, false, 1]);
  });

  it('with keep, and of stops from before there was a choice, leaves them where they are', async () => {
    const { world, life } = await aRestingMaker(2, 1);
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm', 'keep'));
    await settle(world);
    expect([statesOf(life), life.orders.isSweeping(OPERATOR)]).toEqual([{ 'buy live': 2 }, false]);
  });

  it('is tightened by repeating it with cancel_only, and not loosened by repeating it with keep', async () => {
    const { world, life } = await aRestingMaker(1, 1);
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm', 'keep'));
    expect(
      await during(world, life.orders.setStop(OPERATOR, true, 'worse', 'cancel_only')),
    ).toMatchObject({ reason: 'worse', policy: 'cancel_only' });
    expect(
      await during(world, life.orders.setStop(OPERATOR, true, 'better', 'keep')),
    ).toMatchObject({
      reason: 'better',
      policy: 'cancel_only',
    });
    await settle(world);
    expect(statesOf(life)).toEqual({ 'buy cancelled': 1 });
  });

  it('cancels no sale: a stop locks no position in', async () => {
    const { world, life } = await aRestingMaker(1, 0);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await settle(world);
    await during(
      world,
      life.orders.place(
        world.user,
        aLimitBuy({
          side: 'sell',
          type: { kind: 'limit', price: priceTicks(6_000), expiresAtMs: null },
        }),
      ),
    );
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm', 'cancel_only'));
    await settle(world);
    expect([statesOf(life), life.orders.isSweeping(OPERATOR)]).toEqual([
      { 'buy filled': 1, 'sell live': 1 },
      false,
    ]);
  });

  it('of one user cancels that user’s buys and no other user’s', async () => {
    const {
      world,
      life,
      ids: [one = world.user, other = world.user],
    } = await aRestingMaker(2, 2);
    await during(
      world,
      life.orders.setStop({ kind: 'user', userId: one }, true, 'stolen key', 'cancel_only'),
    );
    await settle(world);
    expect([
      statesOf(life, one),
      statesOf(life, other),
      life.orders.isSweeping({ kind: 'user', userId: one }),
    ]).toEqual([{ 'buy cancelled': 2 }, { 'buy live': 2 }, false]);
  });

  it('goes through them in batches, so that others get their turn', async () => {
    const users = STOP_SWEEP.ordersPerBatch + 5;
    const { world, life } = await aRestingMaker(users, 1);
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm', 'cancel_only'));
    await world.clock.advance(STOP_SWEEP.betweenBatchesMs / 2);
    expect(statesOf(life)).toEqual({ 'buy cancelled': STOP_SWEEP.ordersPerBatch, 'buy live': 5 });
    await settle(world);
    expect(statesOf(life)).toEqual({ 'buy cancelled': users });
  });

  it('L6, L9: goes on after a power failure right behind the stop, before anything was cancelled', async () => {
    const { world, life, store } = await aRestingMaker(3, 2);
    await during(world, life.orders.setStop(OPERATOR, true, 'alarm', 'cancel_only'));
    life.die();
    await life.orders.stop();
    expect(statesOf(life)).toEqual({ 'buy live': 6 });
    const next = world.live(store, { seed: 'next' });
    await during(world, next.orders.recover());
    expect(gauge(next)).toBe(1);
    await settle(world);
    expect([statesOf(next), next.orders.isSweeping(OPERATOR), gauge(next)]).toEqual([
      { 'buy cancelled': 6 },
      false,
      0,
    ]);
    await next.orders.stop();
  });

  it('ends with the resuming, whatever is left of it', async () => {
    const { world, life, store } = await aRestingMaker(1, 1);
    await life.orders.setStop(OPERATOR, true, 'alarm', 'cancel_only');
    await life.orders.setStop(OPERATOR, false, 'over');
    await settle(world);
    expect([life.orders.isSweeping(OPERATOR), store.range(STOP_SWEEPS), gauge(life)]).toEqual([
      false,
      [],
      0,
    ]);
    expect((await during(world, life.orders.place(world.user, aLimitBuy()))).state).toBe('live');
  });

  it('sweeps again when it is set anew in the middle of a sweep', async () => {
    const { world, life } = await aRestingMaker(1, 1);
    await life.orders.setStop(OPERATOR, true, 'alarm', 'cancel_only');
    await life.orders.setStop(OPERATOR, false, 'over');
    await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.setStop(OPERATOR, true, 'again', 'cancel_only'));
    await settle(world);
    expect(statesOf(life)).toEqual({ 'buy cancelled': 2 });
  });
});

/** A stop over open orders, whose cancels a test answers; when each was asked for is kept. */
async function aStopOver(
  orders: readonly OrderRecord[],
  answer: (asked: number) => Promise<unknown>,
  scope: StopScope = OPERATOR,
) {
  const clock = createVirtualClock(T0);
  const [store, bus, log, metrics] = [
    createMemoryStore(),
    createKeptBus(),
    createKeptLog(),
    createKeptMetrics(),
  ];
  const asked: string[] = [];
  const sweeps = createStopSweeps({
    store,
    bus,
    clock,
    log,
    metrics,
    commit: createCommit({ store, bus, metrics }),
    orders: {
      async cancel(_user, intentId) {
        asked.push(`${intentId} ${(clock.nowMs() - T0) / 1_000}`);
        await answer(asked.length);
        return aSignedOrder({ state: 'cancelled' });
      },
    },
  });
  await store.write((tx) => {
    for (const record of orders) {
      const { userId, intentId, venue, marketId } = record.intent;
      tx.put(ORDERS, [userId, intentId], record);
      tx.put(OPEN_ORDERS, [userId, intentId], { sinceMs: T0, venue, marketId, isFencing: false });
    }
    tx.put(STOP_SWEEPS, stopKey(scope), { sinceMs: T0 });
  });
  sweeps.recover();
  return { store, bus, clock, log, metrics, asked, sweeps };
}

const notCancellable = () =>
  Promise.reject(new AppError('order_not_cancellable', 'it is in the delay of the venue'));

describe('an open buy that a stop finds', () => {
  const open = aSignedOrder({ state: 'live' });

  it.each<[string, Partial<OrderRecord>, Partial<OrderRecord['intent']>, StopScope]>([
    ['has ended', { state: 'filled' }, {}, OPERATOR],
    ['sells', {}, { side: 'sell' }, OPERATOR],
    ['is another user’s', {}, { userId: aUserId(2) }, { kind: 'self', userId: aUserId(1) }],
  ])('is left alone where it %s: the stop is done', async (_, changes, intent, scope) => {
    const order = aSignedOrder({ state: 'live', ...changes }, intent);
    const { store, clock, asked, metrics, log } = await aStopOver([order], notCancellable, scope);
    await clock.advance(0);
    expect([asked, store.range(STOP_SWEEPS), metrics.counts.get('stop_sweeps_open')]).toEqual([
      [],
      [],
      0,
    ]);
    expect(log.lines).toEqual([{ level: 'info', event: 'stop.swept', fields: { ...scope } }]);
  });

  it('that is to be cancelled already is waited for, and not asked for again', async () => {
    const { store, clock, asked } = await aStopOver(
      [{ ...open, cancelWanted: true }],
      notCancellable,
    );
    await clock.advance(60_000);
    expect([asked, store.range(STOP_SWEEPS).length]).toEqual([[], 1]);
  });

  it('cannot be cancelled yet: it is asked for again after a pause that doubles to a bound', async () => {
    const { clock, asked, log } = await aStopOver([open], notCancellable);
    await clock.advance(125_000);
    expect(log.lines).toEqual([]);
    expect(asked).toEqual([0, 2, 6, 14, 30, 60, 90, 120].map((second) => `int_1 ${second}`));
  });

  it('begins the pauses anew once one of them could be cancelled', async () => {
    const { clock, asked } = await aStopOver([open], (times) =>
      times === 3 ? Promise.resolve() : notCancellable(),
    );
    await clock.advance(14_000);
    expect(asked).toEqual([0, 2, 6, 7, 9, 13].map((second) => `int_1 ${second}`));
  });

  it.each([
    ['an internal error', new Error('no')],
    ['a full disk', new AppError('store_unavailable', 'the disk is full')],
  ])(
    'is asked for again, and operators are informed, where its cancel failed for %s',
    async (_, cause) => {
      const { clock, asked, log } = await aStopOver([open], () => Promise.reject(cause));
      await clock.advance(7_000);
      expect(asked).toEqual([0, 2, 6].map((second) => `int_1 ${second}`));
      expect(log.lines[0]).toEqual({
        level: 'error',
        event: 'stop_sweep.failed',
        fields: { kind: 'all', cause },
      });
    },
  );

  it('is asked for no more once the service has stopped', async () => {
    const { clock, asked, sweeps } = await aStopOver([open], notCancellable);
    await clock.advance(1_000);
    sweeps.stop();
    sweeps.recover();
    await clock.advance(60_000);
    expect([asked, clock.pending]).toEqual([['int_1 0'], 0]);
  });

  it('is left alone, asked for or not, once the stop is lifted', async () => {
    const { store, clock, asked, metrics } = await aStopOver([open], notCancellable);
    await clock.advance(1_000);
    await store.write((tx) => tx.remove(STOP_SWEEPS, stopKey(OPERATOR)));
    await clock.advance(60_000);
    expect([asked, metrics.counts.get('stop_sweeps_open')]).toEqual([['int_1 0'], 0]);
  });

  it('is asked for once a sweep, though the stop is set again', async () => {
    const { bus, clock, asked } = await aStopOver([open], notCancellable);
    const event = { type: 'all_trading.stopped', atMs: T0, reason: 'worse' } as const;
    bus.publish([{ seq: 1, event }]);
    await clock.advance(1_000);
    expect(asked).toEqual(['int_1 0']);
  });

  it('is asked for in its batch, whatever became of those before', async () => {
    const orders = Array.from({ length: STOP_SWEEP.ordersPerBatch + 1 }, (_, index) =>
      aSignedOrder({ state: 'live' }, { intentId: asId(`int_${100 + index}`) }),
    );
    const { clock, asked } = await aStopOver(orders, notCancellable);
    await clock.advance(STOP_SWEEP.betweenBatchesMs);
    expect([asked.length, asked.at(-1)]).toEqual([
      orders.length,
      `int_150 ${STOP_SWEEP.betweenBatchesMs / 1_000}`,
    ]);
  });

  it('whose cancel is under way when the service stops is the last', async () => {
    let answer: () => void = () => undefined;
    const { clock, asked, sweeps } = await aStopOver(
      [open],
      () => new Promise<void>((resolve) => (answer = resolve)),
    );
    await clock.advance(1_000);
    sweeps.stop();
    answer();
    await clock.advance(60_000);
    expect([asked, clock.pending]).toEqual([['int_1 0'], 0]);
  });
});
