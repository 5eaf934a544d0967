import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { UserId, VenueId } from '../../../src/domain/ids.ts';
import { CLOSED_BREAKER } from '../../../src/domain/settlement-breaker.ts';
import { accessLike } from '../../support/closed-access.ts';
import { createTradingFigures } from '../../../src/services/orders/trading-figures.ts';
import type { StreamTrouble } from '../../../src/services/orders/place-order.ts';
import { BREAKERS, STOPS, VENUE_ACCESS_STATES } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptMetrics } from '../../support/quiet.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';
import { aTradedVenue } from '../../support/traded-venues.ts';
import { orderIdOf } from '../../support/attempts.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** The figures over a store, with channels whose trouble a test says. */
function aRuntime() {
  const [store, bus, metrics] = [createMemoryStore(), createKeptBus(), createKeptMetrics()];
  const troubles = new Map<UserId, StreamTrouble>();
  const listeners = new Set<(userId: UserId, venue: VenueId) => void>();
  const userStreams = {
    trouble: (userId: UserId) => troubles.get(userId) ?? null,
    listen: (listener: (userId: UserId, venue: VenueId) => void) => (
      listeners.add(listener), () => void listeners.delete(listener)
    ),
  };
  const figures = createTradingFigures({
    store,
    bus,
    metrics,
    userStreams,
    venues: { open: [aTradedVenue()] },
  });
  return {
    store,
    figures,
    metrics,
    happen: (event: DomainEvent) => bus.publish([{ seq: 1, event }]),
    trouble(userId: UserId, trouble: StreamTrouble | null) {
      if (trouble === null) troubles.delete(userId);
      else troubles.set(userId, trouble);
      for (const listener of listeners) listener(userId, VENUE_A);
    },
    gauges: (...names: readonly string[]) => names.map((name) => metrics.counts.get(name)),
  };
}

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
    const { figures, trouble, gauges } = aRuntime();
    const names = ['stream_trouble_users user_stream_blind', 'stream_trouble_users trades_unread'];
    figures.recover();
    expect(gauges(...names)).toEqual([0, 0]);
    trouble(ada, { code: 'user_stream_blind', sinceMs: T0 });
    trouble(bob, { code: 'user_stream_blind', sinceMs: T0 });
    trouble(bob, { code: 'user_stream_blind', sinceMs: T0 });
    expect(gauges(...names)).toEqual([2, 0]);
    trouble(ada, { code: 'trades_unread', sinceMs: T0 });
    trouble(bob, null);
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
});
