import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import type { OrderId } from '../../../domain/ids.ts';
import type { CancelOutcome, SubmitOutcome } from '../../../ports/order-gateway.ts';
import type { HttpOutcome } from '../../../adapters/wire/http-calls.ts';
import { errorText, jsonOf } from '../client.ts';
import { cancelAnswerSchema, orderAnswerSchema } from '../schema.ts';

type Answered = Extract<HttpOutcome, { kind: 'answered' }>;

/** Texts of modes in which the venue surely took nothing in (venue_a.md section 7.2). */
const CLOSED_MODES = [
  'post-only mode',
  'post_only_mode',
  'cancel-only',
  'trading is currently disabled',
];
/** A fill-or-kill or fill-and-kill order was booked and ended at once (venue_a.md section 8.1). */
const UNFILLED = [
  'fok orders are fully filled or killed',
  'no orders found to match with fak order',
];
/** The market was listed a moment ago: the same bytes may come again (venue_a.md section 8.1). */
const NOT_READY = 'not yet ready to process new orders';

/**
 * What an answer to POST /order says, strictly by L2: only the venue's clear word makes an outcome,
 * everything else is `unknown`. Source: venue_a.md sections 4.2, 7.2 and 8.1.
 */
export function submitOutcome(orderId: OrderId, outcome: HttpOutcome): SubmitOutcome {
  if (outcome.kind === 'unsent')
    return { kind: 'deferred', retryAfterMs: VENUE_A.retryAfterDefaultMs, reason: outcome.cause };
  if (outcome.kind === 'lost') return { kind: 'unknown', cause: outcome.cause };
  const { status } = outcome;
  const value = jsonOf(outcome.text);
  const text = errorText(value);
  if (status === 429)
    return {
      kind: 'deferred',
      retryAfterMs: waitOf(outcome),
      reason: text === '' ? 'rate limited' : text,
    };
  if (status === 503 && isClosedMode(text))
    return { kind: 'deferred', retryAfterMs: waitOf(outcome), reason: text };
  if (status === 403)
    return { kind: 'restricted', reason: text === '' ? 'trading is restricted here' : text };
  if (status >= 200 && status < 300) return accepted(orderId, value, text);
  // 425 is an engine restart, 408 a time-out on the way: both may have let the order in. So may
  // every 5xx.
  if (status === 425 || status === 408 || status >= 500 || status < 400)
    return { kind: 'unknown', cause: `answered ${status} ${text}`.trimEnd() };
  return text === ''
    ? { kind: 'unknown', cause: `answered ${status} without a reason` }
    : refusal(text);
}

function accepted(orderId: OrderId, value: unknown, text: string): SubmitOutcome {
  if (text !== '') return refusal(text);
  const answer = orderAnswerSchema.safeParse(value);
  if (!answer.success) return { kind: 'unknown', cause: 'an unreadable answer' };
  const { success, orderID, status } = answer.data;
  if (success !== true || orderID === null || orderID === undefined || orderID === '')
    return { kind: 'unknown', cause: 'an answer without order id and reason' };
  if (orderID.toLowerCase() !== orderId.toLowerCase())
    return { kind: 'unknown', cause: `the venue names another order id: ${orderID.slice(0, 80)}` };
  if (status === 'live' || status === 'matched' || status === 'delayed')
    return { kind: 'accepted', orderId, status };
  // "unmatched" says that delaying failed: the order may rest or be gone.
  return { kind: 'unknown', cause: `status ${String(status).slice(0, 80)}` };
}

function refusal(text: string): SubmitOutcome {
  const lower = text.toLowerCase();
  if (lower.includes('duplicated')) return { kind: 'duplicate' };
  if (lower.includes('match delayed')) return { kind: 'unknown', cause: text };
  if (isClosedMode(text) || lower.includes(NOT_READY))
    return { kind: 'deferred', retryAfterMs: VENUE_A.retryAfterDefaultMs, reason: text };
  return {
    kind: UNFILLED.some((words) => lower.includes(words)) ? 'unfilled' : 'rejected',
    reason: text,
  };
}

/**
 * What an answer to DELETE /order says. "Already canceled or matched" has been answered for orders
 * that were still live, so it concludes nothing (venue_a.md section 4.3).
 */
export function cancelOutcome(orderId: OrderId, outcome: HttpOutcome): CancelOutcome {
  if (outcome.kind !== 'answered') return { kind: 'unknown', cause: outcome.cause };
  const value = jsonOf(outcome.text);
  if (outcome.status < 200 || outcome.status >= 300) {
    const text = errorText(value);
    const isWord =
      outcome.status >= 400 &&
      outcome.status < 500 &&
      ![408, 425, 429].includes(outcome.status) &&
      text !== '';
    return isWord
      ? { kind: 'refused', reason: text }
      : { kind: 'unknown', cause: `answered ${outcome.status} ${text}`.trimEnd() };
  }
  const answer = cancelAnswerSchema.safeParse(value);
  if (!answer.success) return { kind: 'unknown', cause: 'an unreadable answer' };
  const isMeant = (name: string): boolean => name.toLowerCase() === orderId.toLowerCase();
  if (answer.data.canceled.some(isMeant)) return { kind: 'cancelled' };
  const [, reason] = Object.entries(answer.data.not_canceled).find(([name]) => isMeant(name)) ?? [];
  if (reason === undefined) return { kind: 'unknown', cause: 'the answer does not name the order' };
  return /delay|pending/i.test(reason) ? { kind: 'refused', reason } : { kind: 'unclear', reason };
}

function isClosedMode(text: string): boolean {
  const lower = text.toLowerCase();
  return CLOSED_MODES.some((mode) => lower.includes(mode));
}

function waitOf({ retryAfterMs, text }: Answered): number {
  const stated = retryAfterMs ?? statedSeconds(jsonOf(text));
  return Math.min(Math.max(stated ?? VENUE_A.retryAfterDefaultMs, 1), VENUE_A.retryAfterMaximumMs);
}

/** `retry_after_seconds` of an engine-mode body. */
function statedSeconds(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('retry_after_seconds' in value)) return null;
  const seconds = value.retry_after_seconds;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
    ? Math.ceil(seconds * 1_000)
    : null;
}
