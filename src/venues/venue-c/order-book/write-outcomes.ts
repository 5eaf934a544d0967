import { VENUE_C } from '../../../../config/limits/venue-c.ts';
import type { HttpOutcome } from '../../../adapters/wire/http-calls.ts';
import { asId, type OrderId } from '../../../domain/ids.ts';
import type { OrderHandle } from '../../../domain/order.ts';
import type { CancelOutcome, SubmitOutcome } from '../../../ports/order-gateway.ts';
import { jsonOf, refusalText } from '../client.ts';
import { statedOrderSchema, type StatedOrder } from './schema.ts';

type Answered = Extract<HttpOutcome, { kind: 'answered' }>;

/** Refusals of what an order is signed with and the account's profile no longer says. */
const STALE_PROFILE = ['ownerid', 'feeratebps'];
/** A right that the wallet has not given the venue's contracts, or not any more. */
const MISSING_RIGHT = /insufficient .*allowance/;
/** An order for what is to be had at once that found nothing: some answers are no success. */
const UNFILLED = ['order unmatched', 'order was not filled', 'no fill'];

/**
 * What an answer to POST /orders says, strictly by L2: only the venue's clear word makes an
 * outcome, everything else is `unknown` (venue_c.md sections 8.2 and 13).
 */
export function submitOutcome(order: OrderHandle, outcome: HttpOutcome): SubmitOutcome {
  if (outcome.kind === 'unsent')
    return { kind: 'deferred', retryAfterMs: waitOf(outcome), reason: outcome.cause };
  if (outcome.kind === 'lost') return { kind: 'unknown', cause: outcome.cause };
  const { status } = outcome;
  const value = jsonOf(outcome.text);
  const text = refusalText(value);
  const reason = text === '' ? `answered ${status}` : text;
  if (status === 200 || status === 201) return accepted(order, value);
  // The edge says so in HTML; 425 is an engine that takes nothing in: no body has a time in it.
  if (status === 429 || status === 425)
    return { kind: 'deferred', retryAfterMs: waitOf(outcome), reason };
  if (status === 409) return { kind: 'duplicate' };
  // The signature of the call is older than the venue takes, or its token was taken back.
  if (status === 401) return { kind: 'deferred', retryAfterMs: waitOf(outcome), reason };
  if (status === 403)
    return /scope/i.test(text) ? { kind: 'rejected', reason } : { kind: 'restricted', reason };
  const isRefusal = status === 400 || status === 404 || status === 422;
  return isRefusal && text !== ''
    ? refusal(text)
    : { kind: 'unknown', cause: `answered ${status} ${text}`.trimEnd() };
}

function accepted({ intent, attempt }: OrderHandle, value: unknown): SubmitOutcome {
  const read = statedOrderSchema.safeParse(value);
  if (!read.success) return { kind: 'unknown', cause: 'an unreadable answer' };
  const { order, execution } = read.data;
  const named = order.clientOrderId ?? execution.clientOrderId;
  if (named !== null && named !== String(attempt.attemptId))
    return { kind: 'unknown', cause: `the venue names another order: ${named.slice(0, 80)}` };
  const taken = { kind: 'accepted', orderId: asId<OrderId>(order.id) } as const;
  const { settlementStatus, reason } = execution;
  if (settlementStatus === 'DELAYED') return { ...taken, status: 'delayed' };
  if (settlementStatus === 'CANCELED')
    return { kind: 'unfilled', reason: reason ?? 'cancelled at once' };
  if (intent.life !== 'rests')
    return settlementStatus === 'UNMATCHED'
      ? { kind: 'unfilled', reason: 'nothing to be had at this price' }
      : { ...taken, status: 'matched' };
  return { ...taken, status: isWhole(read.data) ? 'matched' : 'live' };
}

/** Reports whether all shares of an order have been matched. */
export function isWhole({ order, execution }: StatedOrder): boolean {
  return execution.totalsRaw.contractsGross >= sharesOf(order);
}

/** Returns the shares that an order is for, micros; those that money buys are not known. */
export function sharesOf({ side, makerAmount, takerAmount }: StatedOrder['order']): number {
  return side === 'buy' ? takerAmount : makerAmount;
}

function refusal(text: string): SubmitOutcome {
  const lower = text.toLowerCase();
  if (UNFILLED.some((words) => lower.includes(words))) return { kind: 'unfilled', reason: text };
  if (STALE_PROFILE.some((word) => lower.includes(word))) return { kind: 'reissue', reason: text };
  // Signing asks the chain for the right, and has the wallet give it where it is missing.
  if (lacksRight(text)) return { kind: 'reissue', reason: text };
  if (lower.includes('insufficient'))
    return { kind: 'underfunded', reason: text, lacksAllowance: false };
  return { kind: 'rejected', reason: text };
}

/** Reports whether a refusal is for want of a right of the wallet, and not of funds. */
export function lacksRight(reason: string): boolean {
  return MISSING_RIGHT.test(reason.toLowerCase());
}

/**
 * What an answer to DELETE /orders/{id} says. That it is gone concludes nothing of how: it is asked
 * about.
 */
export function cancelOutcome(outcome: HttpOutcome): CancelOutcome {
  if (outcome.kind !== 'answered') return { kind: 'unknown', cause: outcome.cause };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'cancelled' };
  const text = refusalText(jsonOf(outcome.text));
  if ((status !== 400 && status !== 404) || text === '')
    return { kind: 'unknown', cause: `answered ${status} ${text}`.trimEnd() };
  return /delay/i.test(text)
    ? { kind: 'refused', reason: text }
    : { kind: 'unclear', reason: text };
}

function waitOf(outcome: Answered | Extract<HttpOutcome, { kind: 'unsent' }>): number {
  const stated = outcome.retryAfterMs ?? VENUE_C.retryAfterDefaultMs;
  return Math.min(Math.max(stated, 1), VENUE_C.retryAfterMaximumMs);
}
