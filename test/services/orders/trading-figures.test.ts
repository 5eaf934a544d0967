import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type IntentId, type UserId, type VenueId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { CLOSED_BREAKER } from '../../../src/domain/settlement-breaker.ts';
import { accessLike } from '../../support/closed-access.ts';
import { createTradingFigures } from '../../../src/services/orders/trading-figures.ts';
import type { StreamProblem } from '../../../src/services/orders/place-order.ts';
import {
  BREAKERS,
  ORDERS,
  STOPS,
  TRADED_MARKETS,
  VENUE_ACCESS_STATES,
} from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarket, aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';
import { aTradedVenue } from '../../support/traded-venues.ts';
import { orderIdOf } from '../../support/attempts.ts';
import { VENUE_A, VENUE_B } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

/** The figures over a store, with channels whose problems a test sets. */
function aRuntime() {
  const [store, bus, metrics] = [createMemoryStore(), createKeptBus(), createKeptMetrics()];
  const log = createKeptLog();
  const problems = new Map<UserId, StreamProblem>();
  const listeners = new Set<(userId: UserId, venue: VenueId) => void>();
  const userStreams = {
    problem: (userId: UserId) => problems.get(userId) ?? null,
    listen: (listener: (userId: UserId, venue: VenueId) => void) => (
      listeners.add(listener), () => void listeners.delete(listener)
    ),
  };
  const figures = createTradingFigures({
    store,
    bus,
    log,
    metrics,
    userStreams,
    venues: { open: [aTradedVenue()] },
  });
  return {
    store,
    figures,
    log,
    metrics,
    happen: (event: DomainEvent) => bus.publish([{ seq: 1, event }]),
    problem(userId: UserId, problem: StreamProblem | null) {
      if (problem === null) problems.delete(userId);
      else problems.set(userId, problem);
      for (const listener of listeners) listener(userId, VENUE_A);
    },
    gauges: (...names: readonly string[]) => names.map((name) => metrics.counts.get(name)),
  };
}

/** How an order changed. */
type Fact = Extract<DomainEvent, { readonly type: 'order.changed' }>;

const [ada, bob] = [aUserId(1), aUserId(2)];

describe('figures of trading', () => {
  it('count breakers, stops and venues that turn us away from what is stored at the start, and by facts from there', async () => {
    const { store, figures, happen, gauges } = aRuntime();
    await store.write((tx) => {
      tx.put(BREAKERS, ['operator', VENUE_A], { ...CLOSED_BREAKER, openedAtMs: T0 });
      tx.put(BREAKERS, ['user', ada, VENUE_A], { ...CLOSED_BREAKER, openedAtMs: T0 });
      tx.put(BREAKERS, ['user', bob, VENUE_A], CLOSED_BREAKER);
      tx.put(VENUE_ACCESS_STATES, ['venue_a'], accessLike({ ...CLOSED_BREAKER, openedAtMs: T0 }));
      tx.put(STOPS, ['all'], { stopped: false, reason: 'over', atMs: T0, policy: 'keep' });
      tx.put(STOPS, ['user', bob], { stopped: true, reason: 'alarm', atMs: T0, policy: 'keep' });
    });
    const names = [
      'settlement_breakers_open all',
      'settlement_breakers_open user',
      'trading_stops_open all',
      'trading_stops_open user',
      'venue_restricted_state venue_a',
    ];
    figures.recover();
    expect(gauges(...names)).toEqual([1, 1, 0, 1, 1]);
    happen({ type: 'venue.admitted', atMs: T0, venue: VENUE_A });
    happen({ type: 'settlement.broke', userId: bob, atMs: T0, scope: 'user', venue: VENUE_A });
    happen({ type: 'settlement.healed', userId: bob, atMs: T0, scope: 'operator', venue: VENUE_A });
    happen({ type: 'all_trading.stopped', atMs: T0, reason: 'alarm' });
    happen({ type: 'trading.resumed', userId: bob, atMs: T0, by: 'operator', reason: 'over' });
    expect(gauges(...names)).toEqual([0, 2, 1, 0, 0]);
    happen({ type: 'venue.restricted', atMs: T0, venue: VENUE_A, reason: 'not from here' });
    figures.stop();
    happen({ type: 'all_trading.resumed', atMs: T0, reason: 'over' });
    expect(gauges(...names)).toEqual([0, 2, 1, 0, 1]);
  });

  it('count users whose channel is blind or unread, each once, and forget those who see again', () => {
    const { figures, problem, gauges } = aRuntime();
    const names = ['stream_trouble_users user_stream_blind', 'stream_trouble_users trades_unread'];
    figures.recover();
    expect(gauges(...names)).toEqual([0, 0]);
    problem(ada, { code: 'user_stream_blind', sinceMs: T0 });
    problem(bob, { code: 'user_stream_blind', sinceMs: T0 });
    problem(bob, { code: 'user_stream_blind', sinceMs: T0 });
    expect(gauges(...names)).toEqual([2, 0]);
    problem(ada, { code: 'trades_unread', sinceMs: T0 });
    problem(bob, null);
    expect(gauges(...names)).toEqual([0, 1]);
  });

  it('count a resting order the venue cancels by itself, and none that was to be cancelled', async () => {
    const { world, life } = await aFundedLife();
    const [wanted, taken] = [
      await during(world, life.orders.place(world.user, aLimitBuy())),
      await during(world, life.orders.place(world.user, aLimitBuy())),
    ];
    await during(world, life.orders.cancel(world.user, wanted.intent.intentId));
    expect(life.metrics.counts.get('order_ends_unasked_total')).toBeUndefined();
    world.venue.end(orderIdOf(taken), 'cancelled', 'cancelled by user');
    await world.clock.advance(5_000);
    expect(life.metrics.counts.get('order_ends_unasked_total')).toBe(1);
  });

  it.each<[string, Partial<OrderRecord>, Partial<OrderRecord['intent']>, Partial<Fact>, number]>([
    ['the venue cancelled', {}, {}, {}, 1],
    ['its user wanted gone', { cancelWanted: true }, {}, {}, 0],
    ['never rested', {}, { life: 'all_now' }, {}, 0],
    ['went with its market', {}, {}, { atMs: aMarket(1).endsAtMs }, 0],
    ['is of an unknown market', {}, { marketId: aMarketId(9) }, {}, 0],
    ['is unknown', {}, {}, { intentId: asId<IntentId>('int_9') }, 0],
    ['was filled', {}, {}, { to: 'filled' }, 0],
  ])('count and name an order as ended unasked that %s', async (_, order, intent, fact, count) => {
    const { store, happen, log, metrics } = aRuntime();
    const record = aSignedOrder({ state: 'cancelled', ...order }, intent);
    await store.write((tx) => {
      tx.put(ORDERS, [record.intent.userId, record.intent.intentId], record);
      tx.put(TRADED_MARKETS, [aMarketId(1)], aMarket(1));
    });
    const { userId, intentId } = record.intent;
    const change = { userId, intentId, from: 'live', to: 'cancelled', reason: null } as const;
    happen({ type: 'order.changed', atMs: T0, ...change, ...fact });
    expect(metrics.counts.get('order_ends_unasked_total') ?? 0).toBe(count);
    const fields = { intentId, userId, venue: VENUE_A, marketId: aMarketId(1) };
    const line = { level: 'warn', event: 'order.ended_unasked', fields };
    expect(log.lines).toEqual(count === 0 ? [] : [line]);
  });

  it('leave stops that users set for themselves to them', async () => {
    const { store, figures, happen, gauges } = aRuntime();
    const stop = { stopped: true, reason: 'a break', atMs: T0, policy: 'keep' } as const;
    await store.write((tx) => {
      tx.put(STOPS, ['self', ada], stop);
      tx.put(STOPS, ['user', bob], stop);
      tx.put(STOPS, ['all'], stop);
    });
    const names = ['trading_stops_open all', 'trading_stops_open user'];
    figures.recover();
    expect(gauges(...names)).toEqual([1, 1]);
    happen({ type: 'trading.stopped', userId: ada, atMs: T0, by: 'user', reason: 'a break' });
    happen({ type: 'trading.resumed', userId: bob, atMs: T0, by: 'user', reason: 'back' });
    expect(gauges(...names)).toEqual([1, 1]);
    happen({ type: 'trading.stopped', userId: ada, atMs: T0, by: 'operator', reason: 'alarm' });
    happen({ type: 'all_trading.resumed', atMs: T0, reason: 'over' });
    expect(gauges(...names)).toEqual([0, 2]);
  });

  it('tell breakers of users and venues apart, and count each once', async () => {
    const { figures, happen, gauges } = aRuntime();
    figures.recover();
    const names = ['settlement_breakers_open all', 'settlement_breakers_open user'];
    const at = { atMs: T0, venue: VENUE_A } as const;
    happen({ type: 'settlement.broke', userId: ada, scope: 'operator', ...at });
    happen({ type: 'settlement.broke', userId: bob, scope: 'operator', ...at });
    happen({ type: 'settlement.broke', userId: ada, scope: 'user', ...at });
    happen({ type: 'settlement.broke', userId: ada, scope: 'user', atMs: T0, venue: VENUE_B });
    expect(gauges(...names)).toEqual([1, 2]);
    happen({ type: 'settlement.broke', userId: bob, scope: 'user', ...at });
    expect(gauges(...names)).toEqual([1, 3]);
    happen({ type: 'settlement.healed', userId: bob, scope: 'user', ...at });
    happen({ type: 'settlement.healed', userId: ada, scope: 'user', ...at });
    expect(gauges(...names)).toEqual([1, 1]);
  });

  it('hear of no channel once they have stopped', () => {
    const { figures, problem, gauges } = aRuntime();
    figures.recover();
    figures.stop();
    problem(ada, { code: 'user_stream_blind', sinceMs: T0 });
    expect(gauges('stream_trouble_users user_stream_blind')).toEqual([0]);
  });
});
