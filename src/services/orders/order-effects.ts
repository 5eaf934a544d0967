import { ORDER, SYNC } from '../../../config/limits.ts';
import type { OrderEffects, OrderStep } from '../../../machines/order.ts';
import { assert } from '../../domain/errors.ts';
import type { IntentId, OrderId } from '../../domain/ids.ts';
import type { OrderRecord, SignedOrder } from '../../domain/order.ts';
import { isTerminal } from '../../domain/order.ts';
import { shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import { inWallTime } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { Random } from '../../ports/random.ts';
import type { Store } from '../../ports/store.ts';
import type { OrderGateway, SubmitOutcome } from '../../ports/venue.ts';
import type { Commit } from '../commit.ts';
import { openDispute } from '../books/funds-disputes.ts';
import {
  foldAnswer,
  foldDoubt,
  foldNeverBooked,
  foldVenueOrder,
  isUndecided,
} from '../books/order-fold.ts';
import { draftAnew } from './order-draft.ts';
import type { Alongside, OrderFold, OrderWords } from '../books/order-updates.ts';
import { signingAnew } from './sign-anew.ts';
import { stopOver } from './stop-check.ts';
import { heldAtDoor, learnOfDoor } from './venue-door.ts';
import type { OrderRef } from '../books/tables.ts';

/** What the effects of orders work with. */
export interface OrderEffectDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly words: OrderWords;
  readonly gateway: OrderGateway;
  readonly clock: Clock;
  readonly random: Random;
  readonly signer: OrderSigner;
  readonly metrics: Metrics;
}

/** The effects' way back: what is to be done with an order that was signed anew, once it is durable. */
interface FollowedDeps extends OrderEffectDeps {
  readonly follow: (record: OrderRecord) => void;
}

/** Where a record stands, as the machine hears it. */
export function stepOf(
  record: OrderRecord,
  next: OrderStep['next'] = 'carry_on',
  waitMs = 0,
): OrderStep {
  return { state: record.state, next, waitMs, cancelWanted: record.cancelWanted };
}

/** A submission on its way. */
interface Departed {
  readonly answer: Promise<SubmitOutcome>;
  readonly controller: AbortController;
}

/** The effects of orders, and the way out for a first submission. */
export interface OrderOutlet {
  readonly effects: OrderEffects;
  /** Sends the durable bytes at once, ahead of the machine, which takes the answer up as its first submission. */
  depart(record: OrderRecord): void;
}

/** Makes the effects of orders; `refOfIntent` names the owner of an order that has an actor. */
export function createOrderOutlet(
  deps: FollowedDeps,
  refOfIntent: (intentId: IntentId) => OrderRef,
): OrderOutlet {
  const departed = new Map<IntentId, Departed>();
  const learn = async (ref: OrderRef, fold: OrderFold) =>
    stepOf(await deps.words.apply(ref, fold, 'actor'));
  const effects: OrderEffects = {
    submit({ intentId }, signal) {
      const first = departed.get(intentId);
      assert(first !== undefined, `order ${intentId} has departed when its machine takes it up`);
      departed.delete(intentId);
      signal.addEventListener('abort', () => first.controller.abort(), { once: true });
      return learnAnswer(deps, refOfIntent(intentId), first.answer);
    },
    async resend({ intentId }, signal) {
      const ref = refOfIntent(intentId);
      // A stop, or the wish to cancel, may have been stored beside the stamp: after it nothing leaves again (L6).
      if (
        !(await stampSend(deps, ref)) ||
        !mayLeave(deps, deps.words.read(ref), deps.clock.nowMs())
      )
        return learn(ref, neverTaken('it could not be sent again in time'));
      return learnAnswer(deps, ref, transmit(deps, deps.words.read(ref), signal));
    },
    doubt: ({ intentId }) =>
      learn(refOfIntent(intentId), (record, nowMs) =>
        foldDoubt(record, 'the answer to the submission was lost', nowMs),
      ),
    ask: ({ intentId }) => ask(deps, refOfIntent(intentId)),
    async cancel({ intentId }) {
      const ref = refOfIntent(intentId);
      const { orderId } = signedOf(deps.words.read(ref));
      const outcome = await deps.gateway.cancel(ref.userId, orderId);
      deps.metrics.count('order_cancels_total', { outcome: outcome.kind });
      if (outcome.kind !== 'refused') return stepOf(deps.words.read(ref));
      return learn(ref, (record, nowMs) =>
        record.reason === outcome.reason || isTerminal(record.state)
          ? record
          : { ...record, reason: outcome.reason, updatedAtMs: nowMs },
      );
    },
  };
  return {
    effects,
    depart(record) {
      const controller = new AbortController();
      departed.set(record.intent.intentId, {
        controller,
        answer: transmit(deps, record, controller.signal),
      });
    },
  };
}

/** Sends the stored bytes; they leave before this returns, unless the venue has them wait for their turn. A gateway that throws has told nothing about what left (L2). */
async function transmit(
  deps: OrderEffectDeps,
  record: OrderRecord,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { gateway, metrics, words, clock } = deps;
  const signed = signedOf(record);
  const stopTimer = metrics.startTimer('order_stage_seconds', { stage: 'submit' });
  try {
    // They may wait for their turn, and a stop come meanwhile: after it nothing leaves (L6).
    return await gateway.submit(record.intent.userId, signed, {
      signal,
      isGiven: () => mayLeave(deps, words.read(record.intent), clock.nowMs()),
    });
  } catch (cause) {
    return { kind: 'unknown', cause: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    stopTimer();
  }
}

/** Stores the answer to a submission. */
async function learnAnswer(
  deps: FollowedDeps,
  ref: OrderRef,
  answer: Promise<SubmitOutcome>,
): Promise<OrderStep> {
  const { words, clock, metrics } = deps;
  const outcome = await answer;
  metrics.count('order_submissions_total', { outcome: outcome.kind });
  await learnOfDoor(deps, { intent: words.read(ref).intent, outcome, atMs: clock.nowMs() });
  if (outcome.kind !== 'deferred') {
    const record = await words.apply(
      ref,
      (known, nowMs) => foldAnswer(known, outcome, nowMs),
      'actor',
      besides(deps, words.read(ref), outcome),
    );
    if (record.replacedBy !== undefined)
      deps.follow(words.read({ userId: ref.userId, intentId: record.replacedBy }));
    return stepOf(record);
  }
  const waitMs = Math.min(
    Math.max(outcome.retryAfterMs, ORDER.reconcileFirstMs),
    ORDER.deferMaximumMs,
  );
  const record = words.read(ref);
  if (maySendAgain(deps, record, clock.nowMs() + waitMs)) return stepOf(record, 'defer', waitMs);
  return stepOf(
    await words.apply(
      ref,
      neverTaken(`the venue took no orders in time: ${outcome.reason}`),
      'actor',
    ),
  );
}

/** What is stored with the answer to a submission. */
function besides(
  deps: OrderEffectDeps,
  { intent, reserved }: OrderRecord,
  outcome: SubmitOutcome,
): Alongside | undefined {
  if (outcome.kind === 'underfunded')
    return { add: (tx, refused) => openDispute(tx, refused, outcome.lacksAllowance) };
  return outcome.kind === 'misversioned'
    ? signingAnew({ intent: draftAnew(deps, intent), reserved, signer: deps.signer })
    : undefined;
}

/** Asks by order id. "Not there" decides only when even a late booking would have been seen. */
async function ask(deps: OrderEffectDeps, ref: OrderRef): Promise<OrderStep> {
  const { words, gateway, clock } = deps;
  const before = words.read(ref);
  const askedAtMs = clock.nowMs();
  const outcome = await gateway.lookup(ref.userId, signedOf(before).orderId);
  if (outcome.kind === 'found')
    return stepOf(
      await words.apply(
        ref,
        (record, nowMs) => foldVenueOrder(record, outcome.order, true, nowMs),
        'actor',
      ),
    );
  if (outcome.kind === 'unreachable') return stepOf(words.read(ref));
  if (askedAtMs >= (before.lastSentAtMs ?? before.intent.createdAtMs) + bookingHorizonMs(clock))
    return endAbsent(deps, ref);
  return stepOf(
    words.read(ref),
    before.state === 'unknown' && maySendAgain(deps, before, clock.nowMs()) ? 'resend' : 'carry_on',
  );
}

/** When even a late booking would have been seen, ms of the markets' clock after the bytes left: an answer is awaited by the wall, and the rest counts from its end. */
function bookingHorizonMs(clock: Clock): number {
  return (
    inWallTime(clock, ORDER.submitTimeoutMs) + ORDER.lateBookingHorizonMs - ORDER.submitTimeoutMs
  );
}

/**
 * Ends an order the venue does not know when even a late booking would have been seen. It keeps ended orders for a while only, and their
 * trades for good: what was matched is told by those, and is awaited; only where there are none was an undecided order never booked.
 */
async function endAbsent({ words, gateway }: OrderEffectDeps, ref: OrderRef): Promise<OrderStep> {
  const before = words.read(ref);
  const { orderId } = signedOf(before);
  const isOfOrder = (told: { readonly orderId: OrderId }) => told.orderId === orderId;
  if (!isUndecided(before.state)) {
    const resting = await gateway.openOrders(ref.userId);
    if (resting.unread > 0 || resting.read.some(isOfOrder)) return stepOf(words.read(ref));
  }
  const trades = await gateway.fills(ref.userId, before.intent.createdAtMs - SYNC.overlapMs);
  if (trades.unread > 0) return stepOf(words.read(ref));
  const traded = trades.read
    .filter(isOfOrder)
    .flatMap(({ legs }) => legs)
    .reduce((sum, { shares }) => sum + shares, 0);
  return stepOf(
    await words.apply(
      ref,
      (record, nowMs) => {
        if (isUndecided(record.state) && traded === 0)
          return foldNeverBooked(
            record,
            `never booked by the venue (${record.reason ?? 'no answer'})`,
            nowMs,
          );
        const matchedShares = shareMicros(
          Math.max(record.matchedShares ?? record.filledShares, traded),
        );
        return foldVenueOrder(
          record,
          { orderId, status: 'cancelled', matchedShares, reason: 'no longer known to the venue' },
          true,
          nowMs,
        );
      },
      'actor',
    ),
  );
}

/** The same bytes may go out again while they may leave, and not too often. */
function maySendAgain(deps: OrderEffectDeps, record: OrderRecord, atMs: number): boolean {
  return record.sends < ORDER.sendsMaximum && mayLeave(deps, record, atMs);
}

/** Bytes may leave while the wish is fresh, wanted and not held back (L6). */
function mayLeave({ store }: OrderEffectDeps, record: OrderRecord, atMs: number): boolean {
  return (
    atMs <= record.intent.sendUntilMs &&
    !record.cancelWanted &&
    heldBack(store, record, atMs) === null
  );
}

/** Says what keeps the bytes of an order from leaving: a stop (L6), or a venue that would turn it away; null when nothing does. */
export function heldBack(store: Store, { intent }: OrderRecord, atMs: number): string | null {
  return stopOver(store, intent) ?? heldAtDoor(store, intent, atMs);
}

/** Notes a sending before it happens, durably: the late-booking horizon counts from it even after a crash. */
async function stampSend(deps: OrderEffectDeps, ref: OrderRef): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  let isStamped = false;
  await deps.words.apply(
    ref,
    (record, atMs) => {
      isStamped =
        (record.state === 'signed' || record.state === 'unknown') &&
        maySendAgain(deps, record, nowMs);
      return isStamped
        ? { ...record, sends: record.sends + 1, lastSentAtMs: atMs, updatedAtMs: atMs }
        : record;
    },
    'actor',
  );
  return isStamped;
}

/** Only a sending that was never doubted and surely not taken in may end by itself. */
export function neverTaken(reason: string): OrderFold {
  return (record, nowMs) =>
    record.state === 'signed' ? foldNeverBooked(record, reason, nowMs) : record;
}

function signedOf(record: OrderRecord): SignedOrder {
  assert(
    record.signed !== null,
    `order ${record.intent.intentId} is signed before it has an actor`,
  );
  return record.signed;
}
