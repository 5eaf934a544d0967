import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { ORDER } from '../../config/limits.ts';
import {
  withOrderEffects,
  type OrderEffectInput,
  type OrderEffects,
  type OrderEvent,
  type OrderInput,
  type OrderStep,
} from '../../machines/order.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import { asId, type IntentId } from '../../src/domain/ids.ts';
import type { OrderState } from '../../src/domain/order.ts';
import { T0 } from '../support/builders.ts';
import { VENUE_A_TRAITS } from '../../config/limits/venue-a.ts';

const INTENT_ID = asId<IntentId>('int_1');

type Effect = keyof OrderEffects;
type Answer = OrderStep | 'hangs' | 'throws';

function step(state: OrderState, changes: Partial<OrderStep> = {}): OrderStep {
  return { state, next: 'carry_on', waitMs: 0, cancelWanted: false, ...changes };
}

/** Starts an order whose effects answer by script; the last answer of each is repeated. */
function startOrder(
  script: Partial<Record<Effect, readonly Answer[]>>,
  input: Partial<OrderInput> = {},
) {
  const clock = createVirtualClock(T0);
  const calls: Effect[] = [];
  const left = new Map(Object.entries(script).map(([effect, answers]) => [effect, [...answers]]));
  const states: string[] = [];
  const answer =
    (effect: Effect) =>
    (input: OrderEffectInput): Promise<OrderStep> => {
      expect(input).toEqual({ intentId: INTENT_ID });
      calls.push(effect);
      const answers = left.get(effect) ?? [];
      const next = answers.length > 1 ? answers.shift() : answers[0];
      if (next === undefined || next === 'hangs') return new Promise(() => undefined);
      return next === 'throws'
        ? Promise.reject(new Error(`${effect} failed`))
        : Promise.resolve(next);
    };
  const machine = withOrderEffects({
    submit: answer('submit'),
    resend: answer('resend'),
    markUnknown: answer('markUnknown'),
    ask: answer('ask'),
    cancel: answer('cancel'),
  });
  const actor = createActor(machine, {
    input: {
      intentId: INTENT_ID,
      start: 'fresh',
      state: 'signed',
      cancelWanted: false,
      answerWithinMs: VENUE_A_TRAITS.submitTimeoutMs,
      sendWindowMs: VENUE_A_TRAITS.sendWindowMs,
      ...input,
    },
    clock: toActorClock(clock),
  });
  actor.subscribe(({ value }) => {
    if (states.at(-1) !== String(value)) states.push(String(value));
  });
  actor.start();
  return {
    clock,
    calls,
    states,
    actor,
    state: () => String(actor.getSnapshot().value),
    isOver: () => actor.getSnapshot().status === 'done',
    async tell(event: OrderEvent) {
      actor.send(event);
      await clock.settle();
    },
  };
}

describe('the order machine', () => {
  it('L1: sends nothing before the bytes are durable', async () => {
    const order = startOrder({ submit: [step('live')] });
    await order.clock.advance(1_000);
    expect(order.calls).toEqual([]);
    await order.tell({ type: 'order.durable' });
    expect(order.calls).toEqual(['submit']);
    expect(order.state()).toBe('live');
  });

  it('L2: marks it unknown, and sends nothing, when durability never comes', async () => {
    const order = startOrder({
      markUnknown: [step('unknown')],
      ask: [step('unknown'), step('rejected')],
    });
    await order.clock.advance(VENUE_A_TRAITS.sendWindowMs + 10_000);
    expect(order.calls).not.toContain('submit');
    expect(order.state()).toBe('rejected');
  });

  it.each<[string, OrderState]>([
    ['filled', 'filled'],
    ['cancelled', 'cancelled'],
    ['expired', 'expired'],
    ['rejected', 'rejected'],
  ])('ends as the answer says: %s', async (_, state) => {
    const order = startOrder({ submit: [step(state)] });
    await order.tell({ type: 'order.durable' });
    expect(order.state()).toBe(state);
    expect(order.isOver()).toBe(true);
  });

  it('L2: doubts an answer that does not come in time, then asks, and never sends by itself', async () => {
    const order = startOrder({
      submit: ['hangs'],
      markUnknown: [step('unknown')],
      ask: [step('unknown'), step('unknown'), step('matched'), step('filled')],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advance(VENUE_A_TRAITS.submitTimeoutMs);
    expect(order.state()).toBe('unknown');
    await order.clock.advance(60_000);
    expect(order.calls).toEqual(['submit', 'markUnknown', 'ask', 'ask', 'ask', 'ask']);
    expect(order.isOver()).toBe(true);
  });

  it('L2: doubts a submission that throws', async () => {
    const order = startOrder({
      submit: ['throws'],
      markUnknown: [step('unknown')],
      ask: [step('live')],
    });
    await order.tell({ type: 'order.durable' });
    expect(order.calls).toEqual(['submit', 'markUnknown']);
    await order.clock.advance(ORDER.reconcileFirstMs);
    expect(order.state()).toBe('live');
  });

  it.each<[string, Answer]>([
    ['throws', 'throws'],
    ['hangs', 'hangs'],
  ])('goes on asking when even the doubt cannot be stored: it %s', async (_, answer) => {
    const order = startOrder({
      submit: ['throws'],
      markUnknown: [answer],
      ask: ['throws', 'hangs', step('filled')],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advance(60_000);
    expect(order.isOver()).toBe(true);
  });

  it('asks with growing waits, up to the longest', async () => {
    const order = startOrder({ submit: [step('unknown')], ask: [step('unknown')] });
    await order.tell({ type: 'order.durable' });
    const at: number[] = [];
    for (let count = 1; at.length < 7; count += 1) {
      await order.clock.advanceUntil(
        () => order.calls.filter((call) => call === 'ask').length >= count,
        60_000,
      );
      at.push(order.clock.nowMs() - T0);
    }
    expect(at.map((time, index) => time - (at[index - 1] ?? 0))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
  });

  it('L1: sends again only when the answer to a question says so', async () => {
    const order = startOrder({
      submit: [step('unknown')],
      ask: [step('unknown', { next: 'resend' })],
      resend: [step('matched')],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advance(ORDER.reconcileFirstMs);
    expect(order.calls).toEqual(['submit', 'ask', 'resend']);
    expect(order.state()).toBe('matched');
  });

  it('L2: does not send again on the strength of an old answer', async () => {
    const order = startOrder({
      submit: [step('unknown')],
      ask: [step('unknown', { next: 'resend' }), 'throws', step('live')],
      resend: ['throws'],
      markUnknown: ['throws'],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advance(20_000);
    expect(order.calls.filter((call) => call === 'resend')).toHaveLength(1);
    expect(order.state()).toBe('live');
  });

  it('waits as long as the venue asks for before the same bytes go out again', async () => {
    const order = startOrder({
      submit: [step('signed', { next: 'defer', waitMs: 1_500 })],
      resend: [step('live')],
    });
    await order.tell({ type: 'order.durable' });
    expect(order.state()).toBe('deferred');
    await order.clock.advance(1_499);
    expect(order.calls).toEqual(['submit']);
    await order.clock.advance(1);
    expect(order.calls).toEqual(['submit', 'resend']);
    expect(order.state()).toBe('live');
  });

  it('waits for the answer to an order that was signed once more and has gone', async () => {
    const order = startOrder({
      submit: [step('signed', { next: 'reissued' }), step('live')],
    });
    await order.tell({ type: 'order.durable' });
    expect([order.calls, order.state()]).toEqual([['submit', 'submit'], 'live']);
  });

  it('is over here when what was sent has ended and the order waits with this service', async () => {
    const order = startOrder({ submit: [step('cancelled', { next: 'rest' })] });
    await order.tell({ type: 'order.durable' });
    expect([order.state(), order.isOver()]).toEqual(['resting', true]);
  });

  it('doubts a second sending without an answer', async () => {
    const order = startOrder({
      submit: [step('signed', { next: 'defer', waitMs: 10 })],
      resend: ['hangs'],
      markUnknown: [step('unknown')],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advance(10 + VENUE_A_TRAITS.submitTimeoutMs);
    expect(order.state()).toBe('unknown');
  });

  it('L9: one found in the store is asked about first', async () => {
    const order = startOrder({ ask: [step('live')] }, { start: 'found', state: 'unknown' });
    await order.clock.settle();
    expect(order.calls).toEqual(['ask']);
    expect(order.state()).toBe('live');
  });

  it.each([
    ['rests on', false, 'live', ['ask']],
    ['is to be cancelled still', true, 'cancelling', ['ask', 'cancel']],
  ] as const)(
    'L9: one found live whose question brings no answer %s',
    async (_, cancelWanted, state, calls) => {
      const order = startOrder(
        { ask: ['throws'], cancel: ['hangs'] },
        { start: 'found', state: 'live', cancelWanted },
      );
      await order.clock.settle();
      expect([order.state(), order.calls]).toEqual([state, calls]);
    },
  );

  it('follows a delayed order to its end', async () => {
    const order = startOrder({
      submit: [step('delayed')],
      ask: [step('delayed'), step('matched'), step('filled')],
    });
    await order.tell({ type: 'order.durable' });
    expect(order.state()).toBe('delayed');
    await order.clock.advance(30_000);
    expect(order.isOver()).toBe(true);
  });

  it('asks about a resting order ever more rarely, and at once when requested', async () => {
    const order = startOrder({ submit: [step('live')], ask: [step('live')] });
    await order.tell({ type: 'order.durable' });
    const { reconcileMaximumMs, watchIntervalMs } = ORDER;
    for (const waitMs of [
      reconcileMaximumMs,
      2 * reconcileMaximumMs,
      watchIntervalMs,
      watchIntervalMs,
    ]) {
      const before = order.calls.length;
      await order.clock.advance(waitMs - 1);
      expect(order.calls.length).toBe(before);
      await order.clock.advance(1);
      expect(order.calls.length).toBe(before + 1);
    }
    await order.tell({ type: 'order.ask' });
    expect(order.calls.filter((call) => call === 'ask')).toHaveLength(5);
  });

  it('asks soon again once the state of the order has changed, however long it had been asked about', async () => {
    const order = startOrder({
      submit: [step('unknown')],
      ask: [...Array.from({ length: 7 }, () => step('unknown')), step('matched')],
    });
    await order.tell({ type: 'order.durable' });
    await order.clock.advanceUntil(() => order.state() === 'matched', 60_000);
    expect(order.calls.filter((call) => call === 'ask')).toHaveLength(8);
    await order.clock.advance(ORDER.reconcileFirstMs);
    expect(order.calls.filter((call) => call === 'ask')).toHaveLength(9);
  });

  it('is moved by what others learn', async () => {
    const order = startOrder({ submit: [step('live')] });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'order.moved', step: step('matched') });
    expect(order.state()).toBe('matched');
    await order.tell({ type: 'order.moved', step: step('filled') });
    expect(order.isOver()).toBe(true);
  });

  it.each<[string, Partial<Record<Effect, readonly Answer[]>>, OrderEvent | null]>([
    ['it sends again', { resend: ['hangs'] }, null],
    ['it asks', { ask: ['hangs'] }, { type: 'order.ask' }],
    ['it cancels', { cancel: ['hangs'], ask: ['throws'] }, { type: 'cancel.wanted' }],
  ])('keeps what others learn while %s, where no answer comes', async (_, script, event) => {
    const submit = event === null ? step('signed', { next: 'resend' }) : step('live');
    const order = startOrder({ submit: [submit], markUnknown: ['throws'], ...script });
    await order.tell({ type: 'order.durable' });
    if (event !== null) await order.tell(event);
    await order.tell({ type: 'order.moved', step: step('filled') });
    expect(order.isOver()).toBe(false);
    await order.clock.advance(2 * VENUE_A_TRAITS.submitTimeoutMs + ORDER.reconcileFirstMs);
    expect(order.state()).toBe('filled');
  });

  it('trade-before-response: waits for the answer though the channel was faster', async () => {
    const order = startOrder({ submit: ['hangs'], markUnknown: [step('filled')] });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'order.moved', step: step('filled') });
    expect(order.state()).toBe('submitting');
    await order.clock.advance(VENUE_A_TRAITS.submitTimeoutMs);
    expect(order.isOver()).toBe(true);
  });

  it('cancels a resting order and asks by id, whatever the answer', async () => {
    const order = startOrder({
      submit: [step('live')],
      cancel: [step('live', { cancelWanted: true })],
      ask: [step('cancelled')],
    });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'cancel.wanted' });
    expect(order.calls).toEqual(['submit', 'cancel', 'ask']);
    expect(order.state()).toBe('cancelled');
  });

  it.each<[string, Answer]>([
    ['throws', 'throws'],
    ['hangs', 'hangs'],
  ])('asks by id when the cancel %s', async (_, answer) => {
    const order = startOrder({
      submit: [step('live')],
      cancel: [answer],
      ask: [step('cancelled')],
    });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'cancel.wanted' });
    await order.clock.advance(VENUE_A_TRAITS.submitTimeoutMs);
    expect(order.state()).toBe('cancelled');
  });

  it('cancels again after a while, not at once, when the order still rests', async () => {
    const wanted = step('live', { cancelWanted: true });
    const order = startOrder({
      submit: [step('live')],
      cancel: [wanted],
      ask: [wanted, wanted, step('cancelled')],
    });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'cancel.wanted' });
    expect(order.calls).toEqual(['submit', 'cancel', 'ask']);
    await order.clock.advance(60_000);
    expect(order.calls.filter((call) => call === 'cancel')).toHaveLength(2);
    expect(order.isOver()).toBe(true);
  });

  it('cancels an order whose question brought no answer, when the request came meanwhile', async () => {
    const order = startOrder({
      submit: [step('live')],
      ask: ['hangs', step('cancelled')],
      cancel: [step('live', { cancelWanted: true })],
    });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'order.ask' });
    await order.tell({ type: 'cancel.wanted' });
    expect(order.calls).toEqual(['submit', 'ask']);
    await order.clock.advance(VENUE_A_TRAITS.submitTimeoutMs);
    expect(order.calls).toEqual(['submit', 'ask', 'cancel', 'ask']);
    expect(order.isOver()).toBe(true);
  });

  it('cancel-before-id: remembers the request until the venue is known to have the order', async () => {
    const order = startOrder({
      submit: [step('unknown')],
      ask: [step('live', { cancelWanted: true }), step('cancelled')],
      cancel: [step('live', { cancelWanted: true })],
    });
    await order.tell({ type: 'order.durable' });
    await order.tell({ type: 'cancel.wanted' });
    await order.tell({ type: 'order.moved', step: step('unknown', { cancelWanted: true }) });
    expect(order.calls).toEqual(['submit']);
    await order.clock.advance(5_000);
    expect(order.calls).toEqual(['submit', 'ask', 'cancel', 'ask']);
    expect(order.isOver()).toBe(true);
  });

  it('stops cleanly: no timer is left', async () => {
    const order = startOrder({ submit: [step('live')] });
    await order.tell({ type: 'order.durable' });
    order.actor.stop();
    expect(order.clock.pending).toBe(0);
  });
});
