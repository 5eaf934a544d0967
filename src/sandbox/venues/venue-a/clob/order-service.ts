import { formatMicros, usdcMicros } from '../../../../domain/units.ts';
import type { ApiKey } from '../../../engine/api-keys.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineAnswer, EngineOrder } from '../../../engine/exchange-types.ts';
import { REFUSALS } from '../../../engine/order-rules.ts';
import { postOnlyReply, postOnlyWindow } from './engine-modes.ts';
import { admit, type Caller } from './admission.ts';
import { failed, ok, type Reply } from '../../../wire/http-server.ts';

const BATCH_MAXIMUM = 15;
const LATE_ACK_MS = 8_000;
const LATE_BOOK_MS = 3_000;
const TRADE_FIRST_MS = 500;

/** What became of one order body. */
interface Leg {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

/**
 * POST /order: takes one order and answers as the venue does (venue_a.md sections 4.1, 4.2 and
 * 8.1).
 */
export function postOrder(exchange: VenueModel, caller: Caller, body: unknown): Reply {
  return underFaults(exchange, caller.key, () => {
    const closed = isPostOnly(body) ? null : postOnlyWindow(exchange.faults);
    if (closed !== null) return postOnlyReply(closed);
    const leg = takeLeg(exchange, caller, body);
    return leg.error === null ? ok(leg.body) : failed(leg.status, leg.error);
  });
}

/**
 * POST /orders: takes up to fifteen orders, each on its own; the answer is 200 with one entry per
 * leg.
 */
export function postOrders(exchange: VenueModel, caller: Caller, body: unknown): Reply {
  if (!Array.isArray(body) || body.length === 0) return failed(400, REFUSALS.payload);
  if (body.length > BATCH_MAXIMUM)
    return failed(400, `Too many orders in payload: ${body.length}, max allowed: ${BATCH_MAXIMUM}`);
  return underFaults(exchange, caller.key, () =>
    ok(
      body.map((one: unknown, index) => {
        const empty =
          index === 0 &&
          exchange.faults.take('batch-leg-empty', { owner: caller.key.apiKey }) !== null;
        const closed = empty || isPostOnly(one) ? null : postOnlyWindow(exchange.faults);
        const leg = empty
          ? rejected(500, 'could not insert order')
          : closed === null
            ? takeLeg(exchange, caller, one)
            : rejected(503, closed.error);
        // A refused leg still says success (venue_a.md section 4.2).
        return leg.error === null ? leg.body : emptyAnswer(leg.error, true);
      }),
    ),
  );
}

/**
 * Faults between the caller and the engine: what is taken, when, and what the caller hears of it.
 */
function underFaults(exchange: VenueModel, key: ApiKey, take: () => Reply): Reply {
  const { faults, clock } = exchange;
  const subject = { owner: key.apiKey, address: key.address };
  if (faults.take('order-version-mismatch', subject) !== null) return failed(400, REFUSALS.version);
  if (faults.take('success-without-id', subject) !== null)
    return ok(emptyAnswer('could not insert order', true));
  const book = faults.take('late-book', subject);
  if (book !== null) {
    clock.after(book.delayOr(LATE_BOOK_MS), () => void take());
    return { kind: 'cut' };
  }
  const reply = take();
  if (faults.take('lost-ack', subject) !== null) return { kind: 'cut' };
  if (faults.take('retry-duplicated', subject) !== null) return take();
  const late =
    faults.take('late-ack', subject)?.delayOr(LATE_ACK_MS) ??
    faults.take('trade-before-response', subject)?.delayOr(TRADE_FIRST_MS);
  return late === undefined || reply.kind !== 'json' ? reply : { ...reply, delayMs: late };
}

function takeLeg(exchange: VenueModel, caller: Caller, body: unknown): Leg {
  const intake = admit(body, caller, exchange);
  if (intake.kind === 'refused') return rejected(intake.status, intake.error);
  return answerLeg(intake.order, exchange.place(intake.order));
}

function answerLeg(order: EngineOrder, answer: EngineAnswer): Leg {
  if (answer.kind === 'rejected') return rejected(answer.status, answer.reason);
  const matched = answer.kind === 'matched';
  return {
    status: 200,
    error: null,
    body: {
      success: true,
      errorMsg: '',
      orderID: order.orderId,
      status: answer.kind,
      makingAmount: matched ? formatMicros(usdcMicros(answer.makingMicros)) : '',
      takingAmount: matched ? formatMicros(usdcMicros(answer.takingMicros)) : '',
      transactionsHashes: [],
      tradeIDs: matched ? answer.tradeIds : [],
    },
  };
}

function emptyAnswer(errorMsg: string, success: boolean): Readonly<Record<string, unknown>> {
  return {
    success,
    errorMsg,
    orderID: '',
    status: '',
    makingAmount: '',
    takingAmount: '',
    transactionsHashes: [],
    tradeIDs: [],
  };
}

function rejected(status: number, error: string): Leg {
  return { status, error, body: {} };
}

function isPostOnly(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'postOnly' in body && body.postOnly === true;
}
