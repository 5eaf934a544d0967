import { createActor, type Actor } from 'xstate';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { withOrderEffects, type OrderInput, type orderMachine } from '../../../machines/order.ts';
import { assert } from '../../domain/errors.ts';
import type { IntentId } from '../../domain/ids.ts';
import {
  isAtRest,
  isTerminal,
  lastAttempt,
  type OrderIntent,
  type OrderRecord,
} from '../../domain/order.ts';
import { traceFields } from '../../domain/trace-context.ts';
import { inWallTime } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createAcknowledgements } from './acknowledgements.ts';
import { createOrderSender, stepOf, type OrderEffectDeps } from './order-effects.ts';
import { createOrderEndings } from './order-endings.ts';
import type { OrderFigures } from './order-figures.ts';
import { isFencing } from '../books/order-fold.ts';
import type { OrderRef } from '../books/tables.ts';

/** What drives orders. */
export interface OrderDriverDeps extends OrderEffectDeps {
  readonly log: Log;
  readonly figures: Pick<OrderFigures, 'changed'>;
}

/** Runs one actor per order that is not terminal. */
export interface OrderDriver {
  /**
   * The record is durable and its bytes may leave: they do, before this returns, and an actor
   * follows them.
   */
  durable(record: OrderRecord): void;
  /** Takes up an order found in the store; it is asked about first (L9). */
  resume(record: OrderRecord): void;
  /**
   * Resolves with the record once the venue's first answer is stored, or its absence (`unknown`).
   */
  acknowledgement(ref: OrderRef): Promise<OrderRecord>;
  /**
   * Resolves with the record once the order has ended, or as it is when the clock shows `untilMs`.
   */
  ended(ref: OrderRef, untilMs: number): Promise<OrderRecord>;
  /**
   * Resolves with the record once the order fences its market no more, or as it is when the clock
   * shows `untilMs`.
   */
  decided(ref: OrderRef, untilMs: number): Promise<OrderRecord>;
  /**
   * Tells the actor of a durable request to cancel; resolves once the venue was asked, at once when
   * it cannot be yet.
   */
  cancelWanted(ref: OrderRef): Promise<OrderRecord>;
  /** Has the venue asked about an order now. */
  ask(intentId: IntentId): void;
  /** Reports whether an actor follows the order. */
  isFollowing(intentId: IntentId): boolean;
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
  let isOver = false;
  const acknowledgements = createAcknowledgements(deps);
  const endings = createOrderEndings(deps, ({ state }) => isTerminal(state));
  const decisions = createOrderEndings(deps, (record) => !isFencing(record));
  const sender = createOrderSender(deps, (intentId) => refOf(running, intentId));
  const machine = withOrderEffects(sender.effects);
  const clock = toActorClock(deps.clock);

  function start(
    intent: OrderIntent,
    how: Pick<OrderInput, 'start' | 'state' | 'cancelWanted'>,
  ): void {
    const { intentId, userId, venue } = intent;
    // Its record remains until the venue can be asked again: nothing is concluded from silence
    // (L2).
    if (!deps.venues.isOpen(venue))
      return deps.log.error({ intentId, userId, venue }, 'order.venue_closed');
    const { submitTimeoutMs, sendWindowMs } = deps.venues.trading(intent).traits;
    const input = {
      intentId,
      answerWithinMs: inWallTime(deps.clock, submitTimeoutMs),
      sendWindowMs,
      ...how,
    };
    const actor = createActor(machine, { input, clock });
    running.set(intentId, { ref: { userId, intentId }, actor });
    actor.subscribe({
      complete: () => void running.delete(intentId),
      error: (cause) => deps.log.error({ intentId, userId, cause }, 'order.actor_failed'),
    });
    actor.start();
  }

  deps.updates.listen((record, source) => {
    report(deps, record);
    if (source === 'outside')
      running
        .get(record.intent.intentId)
        ?.actor.send({ type: 'order.moved', step: stepOf(record) });
    acknowledgements.hear(record);
    endings.hear(record);
    decisions.hear(record);
  });

  function durable(record: OrderRecord): void {
    // Stored while the service was stopping: no caller would hear the answer, and the next start
    // takes it up (L9).
    if (isOver) return;
    sender.submit(record);
    start(record.intent, { start: 'fresh', state: 'signed', cancelWanted: false });
    running.get(record.intent.intentId)?.actor.send({ type: 'order.durable' });
  }

  return {
    durable,
    resume(record) {
      assert(
        !isTerminal(record.state) && record.state !== 'intended' && record.state !== 'signed',
        `order ${record.intent.intentId} is resumed only unknown or at the venue`,
      );
      // One that waits with this service has nothing at a venue to follow.
      if (!isAtRest(record) && !running.has(record.intent.intentId))
        start(record.intent, {
          start: 'found',
          state: record.state,
          cancelWanted: record.cancelWanted,
        });
    },
    acknowledgement: acknowledgements.wait,
    ended: endings.wait,
    decided: decisions.wait,
    async cancelWanted(ref) {
      const actor = running.get(ref.intentId)?.actor;
      if (actor !== undefined) {
        actor.send({ type: 'cancel.wanted' });
        await untilSettled(actor);
      }
      return deps.updates.read(ref);
    },
    ask: (intentId) => running.get(intentId)?.actor.send({ type: 'order.ask' }),
    isFollowing: (intentId) => running.has(intentId),
    get size() {
      return running.size;
    },
    stop() {
      isOver = true;
      for (const { actor } of running.values()) actor.stop();
      running.clear();
      acknowledgements.leave();
      endings.leave();
      decisions.leave();
    },
  };
}

function report({ log, metrics, figures }: OrderDriverDeps, record: OrderRecord): void {
  const { intent, state, reason } = record;
  const orderId = lastAttempt(record)?.orderId;
  log.info(
    {
      intentId: intent.intentId,
      userId: intent.userId,
      venue: intent.venue,
      orderId,
      state,
      reason,
      ...(intent.traceparent === undefined ? {} : traceFields(intent)),
    },
    'order.state',
  );
  metrics.count('orders_total', { venue: intent.venue, state });
  figures.changed(record);
}

/**
 * Resolves once the actor is neither cancelling nor asking. Both states have time-outs, so it does.
 */
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
