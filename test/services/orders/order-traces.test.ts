import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { TRACING } from '../../../config/limits/tracing.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId, type OrderId } from '../../../src/domain/ids.ts';
import { choicesOf, defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import type { EndedSpan } from '../../../src/ports/tracing.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { AGENTS, ORDERS } from '../../../src/services/books/tables.ts';
import { hexOfId } from '../../../src/services/new-id.ts';
import { aLimitBuy, aMarketBuy } from '../../support/builders.ts';
import { createKeptTracing } from '../../support/fakes/kept-tracing.ts';
import { aWorld, during } from '../../support/worlds/trading-world.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;
/** Longer than an answer takes that is not worth a trace by itself. */
const LATE_MS = TRACING.slowMs + 500;

/** A funded user in a life that is traced by the market clock. */
async function aTracedLife(isTraced = true) {
  const world = aWorld(1_000_000_000);
  const store = createMemoryStore();
  const tracing = createKeptTracing(world.clock);
  const life = world.live(store, isTraced ? { tracing } : {});
  await life.orders.recover();
  await during(world, life.funding.syncDeposits(world.user));
  const place = (request: Partial<PlaceOrder> = {}) =>
    during(world, life.orders.place(world.user, { ...aMarketBuy(), ...request }));
  const ended = async (request: Partial<PlaceOrder> = {}) => {
    const { intent } = await place(request);
    return during(world, life.orders.ended(world.user, intent.intentId, 120_000));
  };
  return { world, store, tracing, life, place, ended };
}

const named = (spans: readonly EndedSpan[], name: string): EndedSpan => {
  const found = spans.filter((span) => span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0] as EndedSpan; // counted above
};
const namesOf = (spans: readonly EndedSpan[]) => spans.map(({ name }) => name).sort();

describe('the trace of an order', () => {
  it('is a tree of its stages below the decision and its tick, with their times', async () => {
    const { world, tracing, ended, store } = await aTracedLife();
    await store.write((tx) =>
      tx.put(AGENTS, [world.user, 'btc_5min'], {
        userId: world.user,
        agentId: 'btc_5min',
        enabled: true,
        settings: defaultSettings(choicesOf(STRATEGIES, 'btc_5min'), AGENT),
        updatedAtMs: world.clock.nowMs(),
      }),
    );
    const tickMs = world.clock.nowMs();
    await world.clock.advance(40);
    const askedMs = world.clock.nowMs();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: LATE_MS });
    const placed = await ended({
      judgedAtMs: tickMs,
      origin: {
        kind: 'agent',
        agentId: 'btc_5min',
        decisionId: asId<DecisionId>('dec_1'),
        purpose: 'entry',
      },
    });
    // its trade was reported before the answer came
    expect(tracing.spans).toEqual([]);
    await world.clock.advance(LATE_MS);
    const { spans } = tracing;
    expect(namesOf(spans)).toEqual([
      'decision',
      'fill',
      'order',
      'order.ack',
      'order.durable',
      'order.wire',
      'publish',
      'tick',
    ]);
    const [tick, decision, order] = ['tick', 'decision', 'order'].map((name) => named(spans, name));
    expect(tick).toMatchObject({ parentSpanId: null, startMs: tickMs });
    expect(decision).toMatchObject({
      parentSpanId: tick?.spanId,
      startMs: tickMs,
      endMs: askedMs,
    });
    expect(order).toMatchObject({
      parentSpanId: decision?.spanId,
      startMs: askedMs,
      isFailed: false,
      attributes: {
        'predictd.venue': 'venue_a',
        'predictd.agent': 'btc_5min',
        'predictd.order': placed.intent.intentId,
        'predictd.outcome': 'filled',
      },
    });
    for (const name of ['order.durable', 'order.wire', 'order.ack', 'fill', 'publish'])
      expect(named(spans, name)).toMatchObject({
        parentSpanId: order?.spanId,
        traceId: order?.traceId,
      });
    const ack = named(spans, 'order.ack');
    expect(ack.endMs - ack.startMs).toBe(LATE_MS);
    const { intent } = store.get(ORDERS, [world.user, placed.intent.intentId])?.value ?? placed;
    expect(intent.traceparent).toMatch(
      new RegExp(`^00-${tick?.traceId}-${decision?.spanId}-0[01]$`),
    );
    expect(JSON.stringify(spans)).not.toContain(world.user);
  });

  it('goes on from a valid traceparent of its caller', async () => {
    const { world, tracing, ended } = await aTracedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: LATE_MS });
    const { intent } = await ended({ traceparent: CALLER });
    await world.clock.advance(LATE_MS);
    expect(intent.traceparent?.slice(0, 53)).toBe(CALLER.slice(0, 53));
    expect(named(tracing.spans, 'order')).toMatchObject({
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
      spanId: hexOfId(intent.intentId),
    });
  });

  it.each([
    `${CALLER}0`,
    CALLER.toUpperCase(),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE}-00f067aa0ba902b7-0\n`,
    'x'.repeat(100_000),
  ])('is one of its own where the caller sent what is no traceparent', async (traceparent) => {
    const { place } = await aTracedLife();
    const { intent } = await place({ traceparent });
    expect(intent.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
    expect(intent.traceparent).not.toContain(TRACE);
    expect(intent.traceparent?.slice(36, 52)).toBe(hexOfId(intent.intentId));
  });

  it('is kept of every refusal, which names it', async () => {
    const { tracing, place } = await aTracedLife();
    const refusal = place({ amount: { unit: 'usdc', micros: 900_000_000_000 } });
    await expect(refusal).rejects.toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(named(tracing.spans, 'order')).toMatchObject({
      isFailed: true,
      attributes: { 'predictd.outcome': 'refused', 'predictd.code': expect.any(String) },
    });
  });

  it('is kept of the usual order by its id alone, of about one in a hundred', async () => {
    const { tracing, ended } = await aTracedLife();
    const kept: string[] = [];
    for (let index = 0; index < 300; index += 1) {
      const { intent } = await ended({ amount: { unit: 'usdc', micros: 1_000_000 } });
      const part = Number.parseInt(hexOfId(intent.intentId).slice(8), 16) / 2 ** 32;
      if (part < TRACING.usualPart) kept.push(intent.intentId);
      expect(intent.traceparent?.endsWith(part < TRACING.usualPart ? '-01' : '-00')).toBe(true);
    }
    expect(kept.length).toBeLessThan(20);
    expect(
      tracing.spans
        .filter(({ name }) => name === 'order')
        .map(({ attributes }) => attributes['predictd.order']),
    ).toEqual(kept);
  });

  it('is not there where nothing is traced: neither in the record nor in a fact', async () => {
    const { store, place } = await aTracedLife(false);
    const { intent } = await place({ traceparent: CALLER });
    expect('traceparent' in intent).toBe(false);
    expect(JSON.stringify(store.readJournal(0, 1_000))).not.toContain('traceparent');
  });
});

describe('the trace of an order whose answer was lost', () => {
  it('has each question to the venue, until it is decided', async () => {
    const { world, tracing, ended } = await aTracedLife();
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    await ended();
    const unknown = named(tracing.spans, 'order.unknown');
    expect(unknown.parentSpanId).toBe(named(tracing.spans, 'order').spanId);
    expect(unknown.events.length).toBeGreaterThan(0);
    expect(unknown.events.every(({ name }) => name === 'question')).toBe(true);
  });

  it('goes on in the same trace after a restart', async () => {
    const { world, store, life, place } = await aTracedLife();
    world.venue.isChannelMute = true;
    world.venue.submitFaults.push({ kind: 'lost-ack' });
    const { intent } = await place({ traceparent: CALLER });
    life.die();
    await life.orders.stop();
    const tracing = createKeptTracing(world.clock, 1_000);
    const next = world.live(store.crash(), { seed: 'second', tracing });
    await next.orders.recover();
    await during(world, next.orders.ended(world.user, intent.intentId, 120_000));
    expect(tracing.spans.map(({ traceId }) => traceId)).toEqual(tracing.spans.map(() => TRACE));
    expect(named(tracing.spans, 'order')).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      spanId: hexOfId(intent.intentId),
      startMs: intent.createdAtMs,
    });
    expect(namesOf(tracing.spans)).toContain('order.unknown');
  });

  it('begins none for an order of an older record, which has no trace', async () => {
    const { world, store, life, place } = await aTracedLife(false);
    world.venue.isChannelMute = true;
    world.venue.submitFaults.push({ kind: 'lost-ack' });
    const { intent } = await place({});
    life.die();
    await life.orders.stop();
    const tracing = createKeptTracing(world.clock);
    const next = world.live(store.crash(), { seed: 'second', tracing });
    await next.orders.recover();
    await during(world, next.orders.ended(world.user, intent.intentId, 120_000));
    expect(tracing.spans).toEqual([]);
  });
});

describe('the trace of an order that rests', () => {
  it('is shown once it rests, and its fills below it when they come', async () => {
    const { world, life, tracing } = await aTracedLife();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: LATE_MS });
    const { intent } = await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(LATE_MS);
    expect(named(tracing.spans, 'order').attributes['predictd.outcome']).toBe('live');
    expect(namesOf(tracing.spans)).toEqual([
      'order',
      'order.ack',
      'order.durable',
      'order.wire',
      'publish',
    ]);
    const [orderId = asId<OrderId>('')] = world.venue.orders.keys();
    world.venue.trade(orderId, 1_000_000);
    await world.clock.advance(5_000);
    expect(named(tracing.spans, 'fill')).toMatchObject({
      parentSpanId: hexOfId(intent.intentId),
      traceId: named(tracing.spans, 'order').traceId,
    });
  });
});
