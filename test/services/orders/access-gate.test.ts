import { describe, expect, it } from 'vitest';
import { VENUE_ACCESS } from '../../../config/limits/risk.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { DEGRADED_SENTENCES } from '../../../src/domain/degraded.ts';
import { asId, type IntentId } from '../../../src/domain/ids.ts';
import { OPEN_ACCESS } from '../../../src/domain/venue-access.ts';
import type { SubmitOutcome } from '../../../src/ports/order-gateway.ts';
import { createCommit } from '../../../src/services/commit.ts';
import {
  accessProblem,
  accessRefusal,
  claimAccess,
  recordAccess,
} from '../../../src/services/orders/access-gate.ts';
import { VENUE_ACCESS_STATES } from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarketBuy, aMarketId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import {
  aFundedLife,
  brokenLaws,
  during,
  type Life,
  type World,
} from '../../support/worlds/trading-world.ts';

const RESTRICTED = { kind: 'restricted', reason: 'Trading restricted in your region' } as const;
const gauge = (life: Life) => life.metrics.counts.get('venue_restricted_state venue_a');
const buy = (world: World, life: Life, market = 1) =>
  during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(market) })));
const facts = (life: Life) =>
  life.bus.entries.flatMap(({ event }) =>
    event.type === 'venue.restricted' || event.type === 'venue.admitted' ? [event.type] : [],
  );

/** A user one of whose orders rests, and whose next was turned away. */
async function turnedAway() {
  const made = await aFundedLife();
  const resting = await during(
    made.world,
    made.life.orders.place(made.world.user, aLimitBuy({ marketId: aMarketId(2) })),
  );
  made.world.venue.submitFaults.push(RESTRICTED);
  const first = await buy(made.world, made.life);
  return { ...made, resting, first };
}

describe('a venue that turns us away', () => {
  it('ends the order with its words, gives back what it set aside, and says so once', async () => {
    const { world, life, store, first } = await turnedAway();
    expect(first).toMatchObject({
      state: 'rejected',
      reason: RESTRICTED.reason,
      reserved: { usdc: 0, shares: 0 },
    });
    expect([facts(life), gauge(life), brokenLaws(store, world.user)]).toEqual([
      ['venue.restricted'],
      1,
      [],
    ]);
  });

  it('gets no order of anybody until the pause is over, while cancels go through', async () => {
    const { world, life, resting } = await turnedAway();
    const sent = world.venue.bodies.size;
    await expect(buy(world, life, 2)).rejects.toMatchObject({
      code: 'venue_restricted',
      retryable: true,
      retryAfterMs: VENUE_ACCESS.askEveryMs,
    });
    expect(
      (await during(world, life.orders.cancel(world.user, resting.intent.intentId))).state,
    ).toBe('cancelled');
    expect(world.venue.bodies.size).toBe(sent);
  });

  it('gets one of thirty after the pause, and all once it has looked at that one', async () => {
    const { world, life, store } = await turnedAway();
    await world.clock.advance(VENUE_ACCESS.coolFirstMs);
    const sent = world.venue.bodies.size;
    world.venue.submitFaults.push({ kind: 'lost-ack' });
    const calls = await during(
      world,
      Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(1 + (index % 2)) })),
        ),
      ),
    );
    expect([
      calls.filter(({ status }) => status === 'fulfilled').length,
      world.venue.bodies.size - sent,
    ]).toEqual([1, 1]);
    // The probe's answer was lost, so nothing is known yet: the next one asks.
    await world.clock.advance(VENUE_ACCESS.probeMs);
    expect((await buy(world, life)).state).toBe('filled');
    expect([
      (await buy(world, life)).state,
      facts(life),
      gauge(life),
      brokenLaws(store, world.user),
    ]).toEqual(['filled', ['venue.restricted', 'venue.admitted'], 0, []]);
  });

  it('that refuses an order for itself has looked at it: orders go on', async () => {
    const { world, life } = await turnedAway();
    await world.clock.advance(VENUE_ACCESS.coolFirstMs);
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'no' });
    expect((await buy(world, life)).state).toBe('rejected');
    expect((await buy(world, life)).state).toBe('filled');
  });

  it('L9: is remembered over a power failure, and a probe turned away then doubles the pause', async () => {
    const { world, life, store } = await turnedAway();
    life.die();
    const next = world.live(store.crash());
    await next.orders.recover();
    expect(gauge(next)).toBe(1);
    await expect(buy(world, next)).rejects.toMatchObject({ code: 'venue_restricted' });
    await world.clock.advance(VENUE_ACCESS.coolFirstMs);
    world.venue.submitFaults.push(RESTRICTED);
    expect((await buy(world, next)).state).toBe('rejected');
    expect(next.store.get(VENUE_ACCESS_STATES, ['venue_a'])?.value).toMatchObject({
      pauseMs: 2 * VENUE_ACCESS.coolFirstMs,
    });
    await next.orders.stop();
  });

  it('L2: does not get the bytes of a doubted order again, which is asked about instead', async () => {
    const { world, life } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    const { intent } = await during(
      world,
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })),
    );
    world.venue.submitFaults.push(RESTRICTED);
    await buy(world, life);
    await world.clock.advance(5_000);
    expect(life.orders.get(world.user, intent.intentId)).toMatchObject({
      state: 'unknown',
      attempts: [{ sends: 1 }],
    });
  });

  it('opens by its own answer though no user trades: figure and facts say so, and the next order goes out', async () => {
    const { world, life, store } = await turnedAway();
    world.region.isBlocked = true;
    await world.clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect([facts(life), gauge(life), world.region.asked]).toEqual([['venue.restricted'], 1, 10]);
    await expect(buy(world, life)).rejects.toMatchObject({
      code: 'venue_restricted',
      retryAfterMs: VENUE_ACCESS.askEveryMs,
    });
    world.region.isBlocked = false;
    await world.clock.advance(VENUE_ACCESS.askEveryMs);
    expect([facts(life), gauge(life)]).toEqual([['venue.restricted', 'venue.admitted'], 0]);
    expect([
      (await buy(world, life)).state,
      store.get(VENUE_ACCESS_STATES, ['venue_a'])?.value,
      brokenLaws(store, world.user),
    ]).toEqual(['filled', OPEN_ACCESS, []]);
    await world.clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect(world.region.asked).toBe(11);
  });

  it('is asked again and again without an answer of use, says so once, and gets one order after the pause all the same', async () => {
    const { world, life } = await turnedAway();
    await world.clock.advance(VENUE_ACCESS.coolFirstMs);
    expect([
      world.region.asked,
      life.metrics.counts.get('venue_region_questions_total venue_a failed'),
    ]).toEqual([2, 2]);
    expect(life.log.lines.filter(({ event }) => event === 'venue.region_unknown')).toHaveLength(1);
    expect([(await buy(world, life)).state, gauge(life)]).toEqual(['filled', 0]);
    await world.clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect(world.region.asked).toBe(2);
  });

  it('that says it takes orders and turns the next one away is not believed for a while, twice as long each time', async () => {
    const { world, life } = await turnedAway();
    world.region.isBlocked = false;
    await world.clock.advance(VENUE_ACCESS.askEveryMs);
    world.venue.submitFaults.push(RESTRICTED);
    expect((await buy(world, life)).state).toBe('rejected');
    await world.clock.advance(VENUE_ACCESS.coolFirstMs - 1);
    expect([facts(life), gauge(life)]).toEqual([
      ['venue.restricted', 'venue.admitted', 'venue.restricted'],
      1,
    ]);
    await world.clock.advance(VENUE_ACCESS.askEveryMs);
    expect(gauge(life)).toBe(0);
    world.venue.submitFaults.push(RESTRICTED);
    await buy(world, life);
    await expect(buy(world, life)).rejects.toMatchObject({
      retryAfterMs: 2 * VENUE_ACCESS.coolFirstMs,
    });
  });

  it('that takes orders by its own word says nothing more once it has looked at one', async () => {
    const { world, life, store } = await turnedAway();
    world.region.isBlocked = false;
    await world.clock.advance(VENUE_ACCESS.askEveryMs);
    const kindOf = () => store.get(VENUE_ACCESS_STATES, ['venue_a'])?.value.kind;
    const promised = kindOf();
    await buy(world, life);
    expect([promised, kindOf(), facts(life)]).toEqual([
      'promised',
      'open',
      ['venue.restricted', 'venue.admitted'],
    ]);
  });

  it('L9: is asked again after a power failure at any moment, and is open or shut but never in between', async () => {
    for (const cutAfterMs of [
      VENUE_ACCESS.askEveryMs - 1,
      VENUE_ACCESS.askEveryMs,
      VENUE_ACCESS.askEveryMs + 1,
    ]) {
      const { world, life, store } = await turnedAway();
      world.region.isBlocked = false;
      await world.clock.advance(cutAfterMs);
      life.die();
      const next = world.live(store.crash());
      await next.orders.recover();
      await world.clock.advance(VENUE_ACCESS.askEveryMs);
      expect([gauge(next), (await buy(world, next)).state]).toEqual([0, 'filled']);
      await next.orders.stop();
    }
  });

  it('asks no more once the service has stopped, and follows no answer that comes later', async () => {
    const { world, life, store } = await turnedAway();
    world.region.isBlocked = false;
    await life.orders.stop();
    await world.clock.advance(10 * VENUE_ACCESS.askEveryMs);
    expect([world.region.asked, store.get(VENUE_ACCESS_STATES, ['venue_a'])?.value.kind]).toEqual([
      0,
      'shut',
    ]);
  });
});

describe('the access gate of a venue as it is stored', () => {
  const intent = aSignedOrder().intent;
  const reason = 'Trading restricted in your region';
  /** A gate, and what an order or an answer does to it. */
  async function aGate() {
    const [store, bus, metrics] = [createMemoryStore(), createKeptBus(), createKeptMetrics()];
    const commit = createCommit({ store, bus, metrics });
    const learn = (outcome: SubmitOutcome, atMs = T0) =>
      recordAccess({ store, commit }, { intent, outcome, atMs });
    const claim = (createdAtMs: number) =>
      store.write((tx) => claimAccess(tx, { ...intent, createdAtMs }));
    const problem = (atMs: number) => accessProblem(store, VENUE_A, atMs);
    const events = () => bus.entries.map(({ event }) => event);
    return { store, learn, claim, problem, events };
  }
  const { coolFirstMs } = VENUE_ACCESS;

  it('says since when it is shut and for how long, tells why once, and lets nothing leave', async () => {
    const { store, learn, problem, events } = await aGate();
    expect([problem(T0), accessRefusal(store, intent, T0)]).toEqual([null, null]);
    await learn({ kind: 'restricted', reason });
    await learn({ kind: 'restricted', reason });
    expect([
      problem(T0 + 1_000),
      events(),
      accessRefusal(store, intent, T0 + 1_000),
      accessRefusal(store, intent, T0 + coolFirstMs),
    ]).toEqual([
      { sinceMs: T0, shutForMs: coolFirstMs - 1_000 },
      [{ type: 'venue.restricted', atMs: T0, venue: VENUE_A, reason }],
      DEGRADED_SENTENCES.venue_restricted,
      null,
    ]);
  });

  it('is not written by an order that passes while it is open', async () => {
    const { store, claim } = await aGate();
    await claim(T0);
    expect(store.range(VENUE_ACCESS_STATES)).toEqual([]);
  });

  it.each<[SubmitOutcome]>([
    [{ kind: 'deferred', retryAfterMs: 1_000, reason: 'post only mode' }],
    [{ kind: 'unknown', cause: 'no answer' }],
  ])(
    'learns nothing of its probe from %o: others wait on, and the probe itself may leave',
    async (outcome) => {
      const { store, learn, claim, problem } = await aGate();
      await learn({ kind: 'restricted', reason });
      const atMs = T0 + coolFirstMs;
      await claim(atMs);
      await learn(outcome, atMs);
      const other = { ...intent, intentId: asId<IntentId>('int_other') };
      expect([
        problem(atMs)?.shutForMs,
        accessRefusal(store, other, atMs),
        accessRefusal(store, intent, atMs),
      ]).toEqual([VENUE_ACCESS.probeMs, DEGRADED_SENTENCES.venue_restricted, null]);
    },
  );
});
