import { toActorClock } from '../../machines/actor-clock.ts';
import { createActor } from 'xstate';
import type { Actor } from 'xstate';
import { ORDER } from '../../config/limits.ts';
import type { OrderEffects, OrderInput, OrderStep, orderMachine } from '../../machines/order.ts';
import { withOrderEffects } from '../../machines/order.ts';
import type { IntentId } from '../domain/ids.ts';
import { assert } from '../domain/errors.ts';
import type { OrderIntent, OrderRecord, SignedOrder } from '../domain/order.ts';
import { isTerminal } from '../domain/order.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../ports/store.ts';
import type { OrderGateway, SubmitOutcome } from '../ports/venue.ts';
import { foldAnswer, foldDoubt, foldNeverBooked, foldVenueOrder } from './order-fold.ts';
import { isStopped } from './order-intake.ts';
import type { OrderFold, OrderWords } from './order-words.ts';
import type { OrderRef } from './tables.ts';

/** What drives orders. */
export interface OrderDriverDeps {
  readonly store: Store;
  readonly words: OrderWords;
  readonly gateway: OrderGateway;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Runs one actor per order that is not terminal. */
export interface OrderDriver {
  /** Makes the actor of a new order; it waits for `durable`. */
  prepare(intent: OrderIntent): void;
  /** The bytes may leave: they do, before this returns control to the event loop. */
  durable(intentId: IntentId): void;
  /** The order was not taken in after all. */
  forget(intentId: IntentId): void;
  /** Takes up an order found in the store; it is asked about first (L9). */
  resume(record: OrderRecord): void;
  /** Resolves with the record once the venue's first word is stored, or its absence (`unknown`). */
  firstWord(ref: OrderRef): Promise<OrderRecord>;
  /** Tells the actor of a durable wish to cancel; resolves once the venue was asked, at once when it cannot be yet. */
  cancelWanted(ref: OrderRef): Promise<OrderRecord>;
  /** Has the venue asked about an order now. */
  ask(intentId: IntentId): void;
  /** Orders with an actor. */
  readonly size: number;
  stop(): void;
}

interface Running {
  readonly ref: OrderRef;
  readonly actor: Actor<typeof orderMachine>;
}

/** Makes the driver; it listens to the words and tells the actors. */
export function createOrderDriver(deps: OrderDriverDeps): OrderDriver {
  const running = new Map<IntentId, Running>();
  const waiting = new Map<IntentId, { readonly ref: OrderRef; readonly resolve: (record: OrderRecord) => void }[]>();
  const machine = withOrderEffects(effectsOf(deps, (intentId) => refOf(running, intentId)));
  const clock = toActorClock(deps.clock);

  function start({ intentId, userId }: OrderIntent, how: Pick<OrderInput, 'start' | 'state' | 'cancelWanted'>): void {
    const input = { intentId, ...how };
    const actor = createActor(machine, { input, clock });
    running.set(intentId, { ref: { userId, intentId }, actor });
    actor.subscribe({
      complete: () => void running.delete(intentId),
      error: (cause) => deps.log.error({ intentId, userId, cause }, 'order.actor_failed'),
    });
    actor.start();
  }

  deps.words.listen((record, source) => {
    const { intentId } = record.intent;
    deps.log.info({ intentId, userId: record.intent.userId, orderId: record.signed?.orderId, state: record.state, reason: record.reason }, 'order.stands');
    deps.metrics.count('orders_total', { state: record.state });
    if (source === 'outside') running.get(intentId)?.actor.send({ type: 'order.moved', step: stepOf(record) });
    if (record.state === 'signed') return;
    for (const { resolve } of waiting.get(intentId) ?? []) resolve(record);
    waiting.delete(intentId);
  });

  return {
    prepare: (intent) => start(intent, { start: 'fresh', state: 'signed', cancelWanted: false }),
    durable: (intentId) => running.get(intentId)?.actor.send({ type: 'order.durable' }),
    forget(intentId) {
      running.get(intentId)?.actor.stop();
      running.delete(intentId);
    },
    resume(record) {
      assert(!isTerminal(record.state) && record.state !== 'intended' && record.state !== 'signed', `order ${record.intent.intentId} is resumed only in doubt or at the venue`);
      if (!running.has(record.intent.intentId)) start(record.intent, { start: 'found', state: record.state, cancelWanted: record.cancelWanted });
    },
    firstWord(ref) {
      const record = deps.words.read(ref);
      if (record.state !== 'signed') return Promise.resolve(record);
      return new Promise((resolve) => waiting.set(ref.intentId, [...(waiting.get(ref.intentId) ?? []), { ref, resolve }]));
    },
    async cancelWanted(ref) {
      const actor = running.get(ref.intentId)?.actor;
      if (actor !== undefined) {
        actor.send({ type: 'cancel.wanted' });
        await untilSettled(actor);
      }
      return deps.words.read(ref);
    },
    ask: (intentId) => running.get(intentId)?.actor.send({ type: 'order.ask' }),
    get size() {
      return running.size;
    },
    stop() {
      for (const { actor } of running.values()) actor.stop();
      running.clear();
      for (const { ref, resolve } of [...waiting.values()].flat()) {
        deps.log.warn({ intentId: ref.intentId }, 'order.left_undecided');
        resolve(deps.words.read(ref));
      }
      waiting.clear();
    },
  };
}

/** Resolves once the actor is neither cancelling nor asking. Both states have time-outs, so it does. */
function untilSettled(actor: Actor<typeof orderMachine>): Promise<void> {
  return new Promise((resolve) => {
    const isBusy = (value: unknown) => value === 'cancelling' || value === 'asking';
    if (!isBusy(actor.getSnapshot().value)) return resolve();
    const subscription = actor.subscribe({
      next: ({ value }) => {
        if (isBusy(value)) return;
        subscription.unsubscribe();
        resolve();
      },
      complete: resolve,
    });
  });
}

function refOf(running: ReadonlyMap<IntentId, Running>, intentId: IntentId): OrderRef {
  const found = running.get(intentId);
  assert(found !== undefined, `order ${intentId} has an actor`);
  return found.ref;
}

/** Where a record stands, as the machine hears it. */
function stepOf(record: OrderRecord, next: OrderStep['next'] = 'carry_on', waitMs = 0): OrderStep {
  return { state: record.state, next, waitMs, cancelWanted: record.cancelWanted };
}

function effectsOf(deps: OrderDriverDeps, refOfIntent: (intentId: IntentId) => OrderRef): OrderEffects {
  const learn = async (ref: OrderRef, fold: OrderFold) => stepOf(await deps.words.apply(ref, fold, 'actor'));
  return {
    submit: ({ intentId }, signal) => send(deps, refOfIntent(intentId), signal),
    async resend({ intentId }, signal) {
      const ref = refOfIntent(intentId);
      const stamped = await stampSend(deps, ref);
      return stamped ? send(deps, ref, signal) : learn(ref, neverTaken('it could not be sent again in time'));
    },
    doubt: ({ intentId }) => learn(refOfIntent(intentId), (record, nowMs) => foldDoubt(record, 'the answer to the submission was lost', nowMs)),
    ask: ({ intentId }) => ask(deps, refOfIntent(intentId)),
    async cancel({ intentId }) {
      const ref = refOfIntent(intentId);
      const { orderId } = signedOf(deps.words.read(ref));
      const outcome = await deps.gateway.cancel(ref.userId, orderId);
      deps.metrics.count('order_cancels_total', { outcome: outcome.kind });
      if (outcome.kind !== 'refused') return stepOf(deps.words.read(ref));
      return learn(ref, (record, nowMs) => (record.reason === outcome.reason || isTerminal(record.state) ? record : { ...record, reason: outcome.reason, updatedAtMs: nowMs }));
    },
  };
}

/** Sends the stored bytes and stores the answer. */
async function send(deps: OrderDriverDeps, ref: OrderRef, signal: AbortSignal): Promise<OrderStep> {
  const { words, gateway, clock, metrics } = deps;
  const stopTimer = metrics.startTimer('order_stage_seconds', { stage: 'submit' });
  const outcome = await gateway.submit(ref.userId, signedOf(words.read(ref)), signal).catch(lostAnswer);
  stopTimer();
  metrics.count('order_submissions_total', { outcome: outcome.kind });
  if (outcome.kind !== 'deferred') return stepOf(await words.apply(ref, (record, nowMs) => foldAnswer(record, outcome, nowMs), 'actor'));
  const waitMs = Math.min(Math.max(outcome.retryAfterMs, ORDER.reconcileFirstMs), ORDER.deferMaximumMs);
  const record = words.read(ref);
  if (maySendAgain(deps, record, clock.nowMs() + waitMs)) return stepOf(record, 'defer', waitMs);
  return stepOf(await words.apply(ref, neverTaken(`the venue took no orders in time: ${outcome.reason}`), 'actor'));
}

/** A gateway that throws has told nothing about what left: the answer is lost (L2). */
function lostAnswer(cause: unknown): SubmitOutcome {
  return { kind: 'unknown', cause: cause instanceof Error ? cause.message : String(cause) };
}

/** Asks by order id. "Not there" decides only when even a late booking would have been seen. */
async function ask(deps: OrderDriverDeps, ref: OrderRef): Promise<OrderStep> {
  const { words, gateway, clock } = deps;
  const before = words.read(ref);
  const askedAtMs = clock.nowMs();
  const outcome = await gateway.lookup(ref.userId, signedOf(before).orderId);
  if (outcome.kind === 'found') return stepOf(await words.apply(ref, (record, nowMs) => foldVenueOrder(record, outcome.order, true, nowMs), 'actor'));
  if (outcome.kind === 'unreachable') return stepOf(words.read(ref));
  const isLate = askedAtMs >= (before.lastSentAtMs ?? before.intent.createdAtMs) + ORDER.lateBookingHorizonMs;
  if (before.state !== 'unknown') return isLate ? endForgotten(deps, ref) : stepOf(words.read(ref));
  if (isLate) return stepOf(await words.apply(ref, (record, nowMs) => foldNeverBooked(record, `never booked by the venue (${record.reason ?? 'no answer'})`, nowMs), 'actor'));
  return stepOf(words.read(ref), maySendAgain(deps, before, clock.nowMs()) ? 'resend' : 'carry_on');
}

/** The venue keeps ended orders for a while only: one it knew, and neither knows nor lists as open now, has ended. */
async function endForgotten({ words, gateway }: OrderDriverDeps, ref: OrderRef): Promise<OrderStep> {
  const { orderId } = signedOf(words.read(ref));
  const open = await gateway.openOrders(ref.userId);
  if (open.some((order) => order.orderId === orderId)) return stepOf(words.read(ref));
  return stepOf(
    await words.apply(ref, (record, nowMs) => {
      const matchedShares = record.matchedShares ?? record.filledShares;
      return foldVenueOrder(record, { orderId, status: 'cancelled', matchedShares, reason: 'no longer known to the venue' }, true, nowMs);
    }, 'actor'),
  );
}

/** The same bytes may go out again while the wish is fresh, wanted and not stopped (L6), and not too often. */
function maySendAgain({ store }: OrderDriverDeps, record: OrderRecord, atMs: number): boolean {
  return atMs <= record.intent.sendUntilMs && record.sends < ORDER.sendsMaximum && !record.cancelWanted && !isStopped(store, record.intent.userId);
}

/** Notes a sending before it happens, durably: the late-booking horizon counts from it even after a crash. */
async function stampSend(deps: OrderDriverDeps, ref: OrderRef): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  let isStamped = false;
  await deps.words.apply(ref, (record, atMs) => {
    isStamped = (record.state === 'signed' || record.state === 'unknown') && maySendAgain(deps, record, nowMs);
    return isStamped ? { ...record, sends: record.sends + 1, lastSentAtMs: atMs, updatedAtMs: atMs } : record;
  }, 'actor');
  return isStamped;
}

/** Only a sending that was never doubted and surely not taken in may end by itself. */
function neverTaken(reason: string): OrderFold {
  return (record, nowMs) => (record.state === 'signed' ? foldNeverBooked(record, reason, nowMs) : record);
}

function signedOf(record: OrderRecord): SignedOrder {
  assert(record.signed !== null, `order ${record.intent.intentId} is signed before it has an actor`);
  return record.signed;
}
