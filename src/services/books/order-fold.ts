import type { OrderId } from '../../domain/ids.ts';
import {
  isAtRest,
  isResting,
  isTerminal,
  lastAttempt,
  openAttempt,
  withLastAttempt,
  type OrderEnding,
  type OrderRecord,
  type OrderState,
} from '../../domain/order.ts';
import { TICKS_PER_USD, shareMicros, usdcMicros } from '../../domain/units.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import type { SubmitOutcome, VenueOrder } from '../../ports/order-gateway.ts';
import { foldAttempt, plusFill, withLateFill, type FillAmounts } from './kept-order.ts';

/** When something is folded in, and what is true of orders on its venue. */
export interface FoldContext {
  readonly nowMs: number;
  readonly traits: VenueTraits;
  /** When its market is over; absent where that is not known. */
  readonly marketEndsAtMs?: number | undefined;
}

/** Answers by which the venue turns an order away for good, as it is. */
const REFUSALS: ReadonlySet<SubmitOutcome['kind']> = new Set([
  'rejected',
  'restricted',
  'underfunded',
]);

const NOTHING_RESERVED = { usdc: usdcMicros(0), shares: shareMicros(0) };

/**
 * Folds the answer to a submission into the record. Only the answer to a first, never unknown
 * sending may end the order: once an answer was lost, a refusal of the second copy says nothing
 * about the first (L2).
 */
export function foldAnswer(
  record: OrderRecord,
  outcome: SubmitOutcome,
  nowMs: number,
): OrderRecord {
  const mayRest = !REFUSALS.has(outcome.kind);
  return foldAttempt(record, (order) => answered(order, outcome, nowMs), { nowMs, mayRest });
}

function answered(record: OrderRecord, outcome: SubmitOutcome, nowMs: number): OrderRecord {
  if (!isUndecided(record.state)) return record;
  switch (outcome.kind) {
    case 'accepted': {
      const known = named(record, outcome.orderId);
      return known === null
        ? foldUnknown(record, 'the venue answered with another order id', nowMs)
        : { ...known, state: outcome.status, reason: null, updatedAtMs: nowMs };
    }
    case 'rejected':
    case 'restricted':
    case 'reissue':
    case 'underfunded':
      return record.state === 'signed'
        ? end(record, { state: 'rejected', reason: outcome.reason }, nowMs)
        : record;
    case 'unfilled':
      return record.state === 'signed'
        ? end(record, { state: 'cancelled', reason: outcome.reason }, nowMs)
        : record;
    case 'sent':
      return { ...record, state: 'submitting', reason: null, updatedAtMs: nowMs };
    case 'deferred':
      return record;
    case 'duplicate':
      return foldUnknown(record, 'the venue knows these bytes already', nowMs);
    case 'unknown':
      return foldUnknown(record, outcome.cause, nowMs);
  }
}

/** Learns the venue's own id of the last attempt; null for the id of any other order. */
function named(record: OrderRecord, orderId: OrderId): OrderRecord | null {
  const known = lastAttempt(record)?.orderId;
  if (known === orderId) return record;
  return known === null
    ? { ...record, attempts: withLastAttempt(record.attempts, { orderId }) }
    : null;
}

/** Notes that the status of the order is not known (L2). Decided orders are left as they are. */
export function foldUnknown(record: OrderRecord, cause: string, nowMs: number): OrderRecord {
  if (!isUndecided(record.state) || record.state === 'unknown') return record;
  return { ...record, state: 'unknown', reason: cause, updatedAtMs: nowMs };
}

/** Ends an order that a crash caught before it was signed: nothing can have left. */
export function foldInterrupted(record: OrderRecord, nowMs: number): OrderRecord {
  return end(record, { state: 'cancelled', reason: 'interrupted before signing' }, nowMs);
}

/** Ends an order that its user wanted gone before it was sent: nothing can have left. */
export function foldTakenBack(record: OrderRecord, reason: string, nowMs: number): OrderRecord {
  return end(record, { state: 'cancelled', reason }, nowMs);
}

/**
 * Ends an order of which it is certain that the venue never booked it. Decided orders are left as
 * they are, but for one that was only held by the venue and of which nothing is left: a chain may
 * take back what had not become final.
 */
export function foldNeverBooked(record: OrderRecord, reason: string, nowMs: number): OrderRecord {
  return foldAttempt(
    record,
    (order) =>
      isUndecided(order.state) || isTakenBack(order)
        ? end(order, { state: 'rejected', reason }, nowMs)
        : order,
    { nowMs, mayRest: true },
  );
}

/** True for an order that was under way and of which no fill remains. */
function isTakenBack({
  state,
  filledShares,
  reversedShares = shareMicros(0),
}: OrderRecord): boolean {
  return (state === 'delayed' || state === 'matched') && filledShares <= reversedShares;
}

/**
 * Folds the venue's word about the order into the record, whatever the order in which words arrive.
 * `asked` is true for an answer to a question by id; words of the channel may be early and never
 * close an order that is not whole.
 */
export function foldVenueOrder(
  record: OrderRecord,
  order: VenueOrder,
  asked: boolean,
  context: FoldContext,
): OrderRecord {
  const { nowMs } = context;
  return foldAttempt(record, (one) => seenAtVenue(one, order, asked, context), {
    nowMs,
    mayRest: true,
  });
}

function seenAtVenue(
  record: OrderRecord,
  order: VenueOrder,
  asked: boolean,
  context: FoldContext,
): OrderRecord {
  const { nowMs, traits } = context;
  // What is said of an attempt that is proven dead says nothing of the one that followed it.
  const known = isTerminal(record.state) ? null : named(record, order.orderId);
  if (known === null) return record;
  const matchedShares =
    order.matchedShares > mostShares(record.intent, traits)
      ? record.matchedShares
      : shareMicros(Math.max(record.matchedShares ?? 0, order.matchedShares));
  const seen: OrderRecord = {
    ...known,
    matchedShares,
    state: stateSeen(record, order),
    updatedAtMs: nowMs,
    reason: reasonSeen(record, order),
  };
  const ending = endingSeen(record, order, context) ?? record.ending;
  if (ending !== null) return settle({ ...seen, ending }, context);
  const isMatchedWord =
    order.status === 'matched' &&
    (asked || isWhole({ ...seen, filledShares: matchedShares ?? record.filledShares }, traits));
  if (isMatchedWord && isAccounted(seen, traits))
    return end(seen, { state: 'filled', reason: null }, nowMs);
  return changed(record, seen) ? seen : record;
}

/**
 * Most shares the venue can match for an order, dust included; a figure above it has another
 * meaning than it should, and would never be accounted for.
 */
function mostShares(
  { side, exact, spendMicros, receiveMicros }: OrderRecord['intent'],
  { dustShareMicros }: VenueTraits,
): number {
  if (side === 'sell') return spendMicros + dustShareMicros;
  // A sum buys the more the lower the price: at the lowest there is, ten thousand times as many
  // shares.
  return (exact === 'receive' ? receiveMicros : spendMicros * TICKS_PER_USD) + dustShareMicros;
}

/**
 * Counts a new fill. The order is filled once the fills account for all of it, or for what the
 * venue says it matched.
 */
export function foldFill(
  record: OrderRecord,
  fill: FillAmounts,
  context: FoldContext,
): OrderRecord {
  const part = openAttempt(record)?.part;
  if (part !== undefined && isOfEarlier(record, fill))
    return withLateFill(record, part, fill, context.nowMs);
  if (isAtRest(record)) return withFill(record, fill, context);
  const how = { nowMs: context.nowMs, mayRest: true };
  return foldAttempt(record, (order) => withFill(order, fill, context), how);
}

/**
 * Reports whether a fill is of an attempt before the last one: of one that was proven dead, and was
 * not.
 */
function isOfEarlier({ attempts }: OrderRecord, { orderId }: FillAmounts): boolean {
  const earlier = attempts.slice(0, -1);
  return earlier.some((one) => one.orderId === orderId || String(one.attemptId) === orderId);
}

function withFill(record: OrderRecord, fill: FillAmounts, context: FoldContext): OrderRecord {
  const { nowMs, traits } = context;
  const counted: OrderRecord = {
    ...record,
    ...plusFill(record, fill),
    updatedAtMs: nowMs,
  };
  if (isTerminal(record.state)) return counted;
  const spent =
    record.intent.side === 'buy'
      ? {
          ...counted.reserved,
          usdc: usdcMicros(Math.max(0, record.reserved.usdc - fill.usdc - fill.fee)),
        }
      : {
          ...counted.reserved,
          shares: shareMicros(Math.max(0, record.reserved.shares - fill.shares)),
        };
  // A fill proves that the venue has the order, whatever became of the answer.
  const state: OrderState =
    isUndecided(record.state) || record.state === 'delayed'
      ? isResting(record.intent)
        ? 'live'
        : 'matched'
      : record.state;
  const next = {
    ...counted,
    reserved: spent,
    state,
    reason: isUndecided(record.state) ? null : record.reason,
  };
  if (isWhole(next, traits) && !mayRestWithDust(next))
    return end(next, { state: 'filled', reason: null }, nowMs);
  return settle(next, context);
}

/**
 * A resting order that lacks dust may still stand at the venue and be filled: only the venue's word
 * ends it (survival.md, underfill-dust).
 */
function mayRestWithDust({ intent, filledShares }: OrderRecord): boolean {
  return (
    isResting(intent) &&
    filledShares < (intent.side === 'sell' ? intent.spendMicros : intent.receiveMicros)
  );
}

/** True while the venue's first answer is missing: nothing may be concluded from silence. */
export function isUndecided(state: OrderState): boolean {
  return (
    state === 'intended' || state === 'signed' || state === 'submitting' || state === 'unknown'
  );
}

/** True for states that only an order which passed the venue's check of funds comes to. */
export function isAccepted(state: OrderState): boolean {
  return state === 'live' || state === 'delayed' || state === 'matched' || state === 'filled';
}

/**
 * True while no further order of the user may be made on the market (L2): the status is unknown, or
 * a market order, which the venue ends at once, has not been seen to end.
 */
export function isFencing(record: OrderRecord): boolean {
  if (isUndecided(record.state)) return true;
  const isAtOnce = !isResting(record.intent) || openAttempt(record)?.part !== undefined;
  return isAtOnce && (record.state === 'live' || record.state === 'delayed');
}

/**
 * True when the fills alone account for the whole order, dust aside. One that is no larger than
 * dust is not whole before something of it has traded.
 */
function isWhole(
  { intent, filledShares, filledUsdc }: OrderRecord,
  { dustShareMicros, dustCashMicros }: VenueTraits,
): boolean {
  if (filledShares === 0) return false;
  const { side, exact, spendMicros, receiveMicros } = intent;
  const [given, got] = side === 'buy' ? [filledUsdc, filledShares] : [filledShares, filledUsdc];
  const [givenDust, gotDust] =
    side === 'buy' ? [dustCashMicros, dustShareMicros] : [dustShareMicros, dustCashMicros];
  if (exact === 'receive') return got + gotDust >= receiveMicros;
  // A budget buys more where prices are better, so only the money tells when it is done.
  return given + givenDust >= spendMicros && (side === 'sell' || got + gotDust >= receiveMicros);
}

function stateSeen(record: OrderRecord, order: VenueOrder): OrderState {
  const { state, intent } = record;
  switch (order.status) {
    case 'delayed':
      return isUndecided(state) ? 'delayed' : state;
    case 'live':
      return state === 'matched' && !isResting(intent) ? state : 'live';
    case 'unmatched':
      return isResting(intent) ? 'live' : 'matched';
    case 'matched':
    case 'cancelled':
    case 'expired':
      return 'matched';
  }
}

/** What holds an order up there may change and pass; what was unknown is so no more. */
function reasonSeen({ state, reason }: OrderRecord, order: VenueOrder): string | null {
  if (order.status === 'delayed') return order.reason;
  return state === 'unknown' ? null : reason;
}

function endingSeen(
  record: OrderRecord,
  order: VenueOrder,
  { nowMs, traits, marketEndsAtMs = Infinity }: FoldContext,
): OrderEnding | null {
  if (order.status === 'expired') return { state: 'expired', reason: order.reason };
  if (order.status === 'unmatched')
    return isResting(record.intent)
      ? null
      : { state: 'cancelled', reason: order.reason ?? 'nothing matched' };
  if (order.status !== 'cancelled') return null;
  const { expiresAtMs } = record.intent;
  // A venue may stop an order early and call that a cancellation.
  const hasExpired =
    !record.cancelWanted &&
    expiresAtMs !== null &&
    // the venue receives whole seconds, rounded down
    nowMs >= expiresAtMs - (expiresAtMs % 1_000) - traits.endsEarlyMs;
  if (hasExpired) return { state: 'expired', reason: order.reason };
  // Venues end what rests in a market with it, and most do not say why.
  const isOver = !record.cancelWanted && nowMs >= marketEndsAtMs;
  return { state: 'cancelled', reason: order.reason ?? (isOver ? 'ended with its market' : null) };
}

/** Carries out the ending once the fills account for what the venue matched. */
function settle(record: OrderRecord, { nowMs, traits }: FoldContext): OrderRecord {
  if (record.ending === null || !isAccounted(record, traits)) return record;
  return isWhole(record, traits)
    ? end(record, { state: 'filled', reason: null }, nowMs)
    : end(record, record.ending, nowMs);
}

function isAccounted(record: OrderRecord, { dustShareMicros }: VenueTraits): boolean {
  return (
    record.matchedShares !== null && record.filledShares + dustShareMicros >= record.matchedShares
  );
}

function end(
  record: OrderRecord,
  how: { readonly state: OrderState; readonly reason: string | null },
  nowMs: number,
): OrderRecord {
  return {
    ...record,
    state: how.state,
    reason: how.reason,
    ending: null,
    reserved: NOTHING_RESERVED,
    attempts: withLastAttempt(record.attempts, {
      ended:
        how.state === 'rejected'
          ? { how: 'never', proof: how.reason, atMs: nowMs }
          : { how: 'done', proof: null, atMs: nowMs },
    }),
    updatedAtMs: nowMs,
  };
}

function changed(before: OrderRecord, after: OrderRecord): boolean {
  return (
    before.state !== after.state ||
    before.reason !== after.reason ||
    before.attempts !== after.attempts ||
    before.matchedShares !== after.matchedShares
  );
}
