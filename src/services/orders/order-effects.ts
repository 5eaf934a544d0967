import { ORDER } from '../../../config/limits.ts';
import type { OrderEffects, OrderStep } from '../../../machines/order.ts';
import { assert } from '../../domain/errors.ts';
import type { IntentId } from '../../domain/ids.ts';
import {
  isAtRest,
  isTerminal,
  sendUntilOf,
  withGas,
  type OrderAttempt,
  type OrderHandle,
  type OrderRecord,
} from '../../domain/order.ts';
import type { VenueFill } from '../../domain/fill.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LookupOutcome, SubmitOutcome } from '../../ports/order-gateway.ts';
import type { TradedVenue, Venues } from '../venues.ts';
import { fillsLearned } from '../books/stated-fills.ts';
import { openDispute } from '../books/funds-disputes.ts';
import { foldAnswer, foldUnknown, foldNeverBooked, foldVenueOrder } from '../books/order-fold.ts';
import type { Alongside, OrderFold, OrderUpdates } from '../books/order-updates.ts';
import { reissuing } from './reissue.ts';
import type { OrderTraces } from './order-traces.ts';
import { stopOver } from './stop-check.ts';
import { accessRefusal, recordAccess } from './access-gate.ts';
import { marketEndOf, type OrderRef } from '../books/tables.ts';
import { absenceFinalAfterMs, endAbsent } from './absent-orders.ts';
import { attemptOf, handleOf, isLast, neverLeft, neverTaken, sentAgain } from './order-attempts.ts';

export interface OrderEffectDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'metrics'> {
  readonly updates: OrderUpdates;
  readonly venues: Venues;
  /** Null where nothing is traced. */
  readonly traces: Pick<OrderTraces, 'of'> | null;
  /** Books what a venue says of a trade, as the portfolio does. */
  readonly recordFill: (fill: VenueFill) => Promise<unknown>;
}

/** The state of a record, as the machine receives it. */
export function stepOf(
  record: OrderRecord,
  next: OrderStep['next'] = 'carry_on',
  waitMs = 0,
): OrderStep {
  const { state, cancelWanted } = record;
  return { state, next: isAtRest(record) ? 'rest' : next, waitMs, cancelWanted };
}

/** The effects' own way out: an intent that was signed once more leaves by it. */
interface SenderDeps extends OrderEffectDeps {
  readonly submit: (record: OrderRecord) => void;
}

/** What became of a submission; `withheld`: nothing left, for what was true at the last moment. */
type Submission = SubmitOutcome | { readonly kind: 'withheld'; readonly reason: string };

/** A submission on its way. */
interface Submitted {
  readonly attempt: OrderAttempt;
  readonly answer: Promise<Submission>;
  readonly controller: AbortController;
}

/** The effects of orders, and the way out for a first submission. */
export interface OrderSender {
  readonly effects: OrderEffects;
  /**
   * Sends the durable bytes at once, ahead of the machine, which takes the answer up as its first
   * submission.
   */
  submit(record: OrderRecord): void;
}

/** Makes the effects of orders; `refOfIntent` names the owner of an order that has an actor. */
export function createOrderSender(
  deps: OrderEffectDeps,
  refOfIntent: (intentId: IntentId) => OrderRef,
): OrderSender {
  const submitted = new Map<IntentId, Submitted>();
  const learn = async (ref: OrderRef, fold: OrderFold) =>
    stepOf(await deps.updates.apply(ref, fold, 'actor'));
  function submit(record: OrderRecord): void {
    const controller = new AbortController();
    const answer = send(deps, record, controller.signal);
    submitted.set(record.intent.intentId, { attempt: attemptOf(record), controller, answer });
  }
  const senderDeps = { ...deps, submit };
  const effects: OrderEffects = {
    submit({ intentId }, signal) {
      const first = submitted.get(intentId);
      assert(first !== undefined, `order ${intentId} was submitted when its machine resumes it`);
      submitted.delete(intentId);
      signal.addEventListener('abort', () => first.controller.abort(), { once: true });
      return learnAnswer(senderDeps, refOfIntent(intentId), first);
    },
    async resend({ intentId }, signal) {
      const ref = refOfIntent(intentId);
      if (!(await stampSend(deps, ref)))
        return learn(ref, neverTaken('it could not be sent again in time'));
      const record = deps.updates.read(ref);
      deps.metrics.count('order_resends_total', { venue: record.intent.venue });
      const answer = send(deps, record, signal);
      return learnAnswer(senderDeps, ref, { attempt: attemptOf(record), answer });
    },
    markUnknown: ({ intentId }) =>
      learn(refOfIntent(intentId), (record, nowMs) =>
        foldUnknown(record, 'the answer to the submission was lost', nowMs),
      ),
    ask: ({ intentId }) => ask(senderDeps, refOfIntent(intentId)),
    async cancel({ intentId }) {
      const ref = refOfIntent(intentId);
      const handle = handleOf(deps.updates.read(ref));
      const outcome = await venueOf(deps, handle).gateway.cancel(handle);
      deps.metrics.count('order_cancels_total', {
        venue: handle.intent.venue,
        outcome: outcome.kind,
      });
      if (outcome.kind !== 'refused') return stepOf(deps.updates.read(ref));
      return learn(ref, (record, nowMs) =>
        record.reason === outcome.reason || isTerminal(record.state)
          ? record
          : { ...record, reason: outcome.reason, updatedAtMs: nowMs },
      );
    },
  };
  return { effects, submit };
}

/**
 * Sends the stored bytes; they leave before this returns, unless the venue has them wait for their
 * turn. A stop may have come since they were signed or stored, or come while they wait: it is
 * looked for once, where they leave (L6). A gateway that throws has said nothing about what left
 * (L2).
 */
async function send(
  deps: OrderEffectDeps,
  record: OrderRecord,
  signal: AbortSignal,
): Promise<Submission> {
  const { metrics, updates, clock } = deps;
  const stopTimer = metrics.startTimer('order_stage_seconds', {
    venue: record.intent.venue,
    stage: 'ack',
  });
  const traced = deps.traces?.of(record.intent.intentId)?.stage('order.ack');
  const permission: { refusal: string | null } = { refusal: null };
  try {
    const outcome = await venueOf(deps, record).gateway.submit(handleOf(record), {
      signal,
      isGranted() {
        permission.refusal = blockedBy(deps, updates.read(record.intent), clock.nowMs());
        return permission.refusal === null;
      },
    });
    return permission.refusal === null ? outcome : { kind: 'withheld', reason: permission.refusal };
  } catch (cause) {
    return { kind: 'unknown', cause: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    stopTimer();
    traced?.();
  }
}

/** Stores the answer to a submission. */
async function learnAnswer(
  deps: SenderDeps,
  ref: OrderRef,
  { attempt, answer }: Pick<Submitted, 'attempt' | 'answer'>,
): Promise<OrderStep> {
  const { updates, clock, metrics } = deps;
  const outcome = await answer;
  const { venue } = updates.read(ref).intent;
  metrics.count('order_submissions_total', { venue, outcome: outcome.kind });
  if (outcome.kind === 'withheld')
    return stepOf(await updates.apply(ref, neverLeft(outcome.reason), 'actor'));
  await recordAccess(deps, { intent: updates.read(ref).intent, outcome, atMs: clock.nowMs() });
  if (outcome.kind !== 'deferred') {
    const fold: OrderFold = (known, nowMs) =>
      isLast(known, attempt) ? foldAnswer(known, outcome, nowMs) : known;
    if (outcome.kind === 'reissue') return learnProof(deps, ref, fold);
    const disputing: Alongside | undefined =
      outcome.kind === 'underfunded'
        ? { add: (tx, refused) => openDispute(tx, refused, outcome.lacksAllowance) }
        : undefined;
    return stepOf(await updates.apply(ref, fold, 'actor', disputing));
  }
  const waitMs = Math.min(
    Math.max(outcome.retryAfterMs, ORDER.reconcileFirstMs),
    ORDER.deferMaximumMs,
  );
  const record = updates.read(ref);
  if (maySendAgain(deps, record, clock.nowMs() + waitMs)) return stepOf(record, 'defer', waitMs);
  return stepOf(
    await updates.apply(
      ref,
      neverTaken(`the venue took no orders in time: ${outcome.reason}`),
      'actor',
    ),
  );
}

/**
 * Stores that the last attempt can never land, and the next one with it where one may follow: that
 * one leaves at once.
 */
async function learnProof(deps: SenderDeps, ref: OrderRef, fold: OrderFold): Promise<OrderStep> {
  const { updates, clock } = deps;
  const { attempts, intent } = updates.read(ref);
  const count = attempts.length;
  // One that this service keeps waits for its price again first.
  const next = intent.restsAt === 'service' ? undefined : await reissuing(deps, ref, clock.nowMs());
  const record = await updates.apply(ref, fold, 'actor', next);
  if (record.attempts.length === count) return stepOf(record);
  deps.submit(record);
  return stepOf(record, 'reissued');
}

/** Asks by order id. "Not there" decides only when even a late booking would have been seen. */
async function ask(deps: SenderDeps, ref: OrderRef): Promise<OrderStep> {
  const { updates, clock } = deps;
  const before = updates.read(ref);
  const askedAtMs = clock.nowMs();
  const handle = handleOf(before);
  const { traits } = venueOf(deps, handle);
  deps.traces?.of(ref.intentId)?.asked();
  const outcome = await askVenue(deps, handle);
  for (const fill of fillsLearned(deps.store, handle, outcome)) await deps.recordFill(fill);
  if (outcome.kind === 'found')
    return stepOf(
      await updates.apply(
        ref,
        (record, nowMs) =>
          isLast(record, handle.attempt)
            ? withGas(
                foldVenueOrder(record, outcome.order, true, {
                  nowMs,
                  traits,
                  marketEndsAtMs: marketEndOf(deps.store, record.intent.marketId),
                }),
                handle.attempt.attemptId,
                outcome.order.gas,
              )
            : record,
        'actor',
      ),
    );
  if (outcome.kind === 'unreachable') return stepOf(updates.read(ref));
  const { proof, gas } = outcome;
  if (proof !== null)
    return learnProof(deps, ref, (record, nowMs) =>
      isLast(record, handle.attempt)
        ? withGas(foldNeverBooked(record, proof, nowMs), handle.attempt.attemptId, gas)
        : record,
    );
  if (askedAtMs >= handle.attempt.lastSentAtMs + absenceFinalAfterMs(clock, traits))
    return stepOf(await endAbsent(deps, venueOf(deps, handle), handle));
  return stepOf(
    updates.read(ref),
    isUncertain(before) && maySendAgain(deps, before, clock.nowMs()) ? 'resend' : 'carry_on',
  );
}

/**
 * Asks about an order; one that rests beyond its moment at a venue that knows none is cancelled
 * first. Whatever the answer to that is, what became of it is asked.
 */
async function askVenue(deps: OrderEffectDeps, handle: OrderHandle): Promise<LookupOutcome> {
  const { gateway, traits } = venueOf(deps, handle);
  const outcome = await gateway.lookup(handle);
  const { expiresAtMs } = handle.intent;
  const isOverdue =
    traits.endedBy === 'service' &&
    expiresAtMs !== null &&
    deps.clock.nowMs() >= expiresAtMs &&
    outcome.kind === 'found' &&
    outcome.order.status === 'live';
  if (!isOverdue) return outcome;
  await gateway.cancel(handle);
  return gateway.lookup(handle);
}

/** The same bytes may go out again while they may leave, and not too often. */
function maySendAgain(deps: OrderEffectDeps, record: OrderRecord, atMs: number): boolean {
  return attemptOf(record).sends < ORDER.sendsMaximum && blockedBy(deps, record, atMs) === null;
}

/**
 * Says what keeps the bytes of an order from leaving: its age (L8), its user, a stop (L6), or a
 * venue that would turn it away; null when nothing does.
 */
function blockedBy(
  { store }: Pick<OrderEffectDeps, 'store'>,
  record: OrderRecord,
  atMs: number,
): string | null {
  const { intent, cancelWanted } = record;
  if (atMs > sendUntilOf(record)) return 'it could not be sent in time';
  return (
    stopOver(store, intent) ??
    accessRefusal(store, intent, atMs) ??
    (cancelWanted ? 'it was cancelled before it was sent' : null)
  );
}

/** What left and may have been lost on its way. */
function isUncertain({ state }: OrderRecord): boolean {
  return state === 'unknown' || state === 'submitting';
}

/**
 * Notes a sending before it happens, durably: the late-booking horizon counts from it even after a
 * crash.
 */
async function stampSend(deps: OrderEffectDeps, ref: OrderRef): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const { sends } = attemptOf(deps.updates.read(ref));
  const stamped = await deps.updates.apply(
    ref,
    (record, atMs) =>
      (record.state === 'signed' || isUncertain(record)) && maySendAgain(deps, record, nowMs)
        ? { ...record, attempts: sentAgain(record, atMs), updatedAtMs: atMs }
        : record,
    'actor',
  );
  return attemptOf(stamped).sends > sends;
}

function venueOf(
  { venues }: OrderEffectDeps,
  { intent }: Pick<OrderRecord, 'intent'>,
): TradedVenue {
  return venues.trading(intent);
}
