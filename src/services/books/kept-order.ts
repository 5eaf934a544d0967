import {
  isAtRest,
  isTerminal,
  openAttempt,
  withLastAttempt,
  type AttemptPart,
  type OrderIntent,
  type OrderRecord,
  type Reservation,
} from '../../domain/order.ts';
import type { OrderId } from '../../domain/ids.ts';
import { shareMicros, usdcMicros, type ShareMicros, type UsdcMicros } from '../../domain/units.ts';

/** Our share of one trade as an order counts it. */
export interface FillAmounts {
  readonly orderId: OrderId;
  readonly shares: ShareMicros;
  readonly usdc: UsdcMicros;
  readonly fee: UsdcMicros;
  /** Of the shares, what the venue kept as its fee; absent where nothing. */
  readonly feeShares?: ShareMicros;
}

/** Returns what an order has come to with one fill more. */
export function plusFill(
  record: OrderRecord,
  { shares, usdc, fee, feeShares }: FillAmounts,
): Pick<OrderRecord, 'filledShares' | 'filledUsdc' | 'feesUsdc' | 'feeShares'> {
  return {
    filledShares: shareMicros(record.filledShares + shares),
    filledUsdc: usdcMicros(record.filledUsdc + usdc),
    feesUsdc: usdcMicros(record.feesUsdc + fee),
    ...(feeShares === undefined
      ? {}
      : { feeShares: shareMicros((record.feeShares ?? 0) + feeShares) }),
  };
}

/** How an order that waits ends. */
export type WaitingEnd = Pick<OrderRecord, 'state' | 'reason'>;

/** What ends with an attempt at an order that this service keeps. */
export interface AttemptFold {
  readonly nowMs: number;
  /**
   * False where the order ends as its attempt does: the venue refused it, or it cannot be proven
   * for ever that the attempt never lands.
   */
  readonly mayRest: boolean;
}

const NOTHING_RESERVED = { usdc: usdcMicros(0), shares: shareMicros(0) };

/**
 * Returns an intent as an attempt at a part of it carries it out: at once, at its price or better.
 */
export function intentOfPart(
  intent: OrderIntent,
  { life, spendMicros, receiveMicros, sendUntilMs }: AttemptPart,
): OrderIntent {
  const terms = { life, spendMicros, receiveMicros, sendUntilMs, expiresAtMs: null };
  return { ...intent, ...terms, restsAt: undefined };
}

/**
 * Folds in what is learned of the attempt that is out: of an order kept by this service as if the
 * attempt were an order of its own, which it is at the venue. When that ends, the order is filled,
 * or has ended as its user or its time wanted, or waits again. While nothing is out, nothing is
 * learned. Every other order is folded as it is.
 */
export function foldAttempt(
  record: OrderRecord,
  fold: (order: OrderRecord) => OrderRecord,
  how: AttemptFold,
): OrderRecord {
  if (record.intent.restsAt !== 'service' || isTerminal(record.state)) return fold(record);
  const part = openAttempt(record)?.part;
  if (part === undefined) return record;
  const before = {
    ...record,
    intent: intentOfPart(record.intent, part),
    filledShares: shareMicros(record.filledShares - part.filledShares),
    filledUsdc: usdcMicros(record.filledUsdc - part.filledUsdc),
  };
  const after = fold(before);
  return after === before ? record : withLearned(record, { before, after }, how);
}

/** Notes that an order shall go: one that waits with this service has gone by that. */
export function foldCancelWanted(
  record: OrderRecord,
  nowMs: number,
  by?: OrderRecord['cancelledBy'],
): OrderRecord {
  const wanted: OrderRecord = {
    ...record,
    cancelWanted: true,
    ...(by === undefined ? {} : { cancelledBy: by }),
    updatedAtMs: nowMs,
  };
  return foldWaitingEnd(wanted, { state: 'cancelled', reason: null }, nowMs);
}

/** Ends an order that waits with this service; nothing of it is out. Any other is left as it is. */
export function foldWaitingEnd(
  record: OrderRecord,
  { state, reason }: WaitingEnd,
  nowMs: number,
): OrderRecord {
  return isAtRest(record)
    ? { ...record, state, reason, reserved: NOTHING_RESERVED, updatedAtMs: nowMs }
    : record;
}

/** Counts a fill of an attempt that came before the one that is out, which it leaves as it is. */
export function withLateFill(
  record: OrderRecord,
  part: AttemptPart,
  fill: FillAmounts,
  nowMs: number,
): OrderRecord {
  const { shares, usdc, fee } = fill;
  return {
    ...record,
    ...plusFill(record, fill),
    reserved: without(record, { shares, usdc: usdc + fee }),
    attempts: withLastAttempt(record.attempts, {
      part: {
        ...part,
        filledShares: shareMicros(part.filledShares + shares),
        filledUsdc: usdcMicros(part.filledUsdc + usdc),
      },
    }),
    updatedAtMs: nowMs,
  };
}

/** Returns what stays set aside after so much was spent of it. */
function without(
  { intent: { side }, reserved }: OrderRecord,
  spent: { readonly shares: number; readonly usdc: number },
): Reservation {
  return side === 'buy'
    ? { ...reserved, usdc: usdcMicros(Math.max(0, reserved.usdc - spent.usdc)) }
    : { ...reserved, shares: shareMicros(Math.max(0, reserved.shares - spent.shares)) };
}

function withLearned(
  record: OrderRecord,
  { before, after }: { readonly before: OrderRecord; readonly after: OrderRecord },
  how: AttemptFold,
): OrderRecord {
  const [shares, usdc, fees] = [
    after.filledShares - before.filledShares,
    after.filledUsdc - before.filledUsdc,
    after.feesUsdc - before.feesUsdc,
  ];
  const learned: OrderRecord = {
    ...after,
    intent: record.intent,
    filledShares: shareMicros(record.filledShares + shares),
    filledUsdc: usdcMicros(record.filledUsdc + usdc),
    reserved: without(record, { shares, usdc: usdc + fees }),
  };
  if (!isTerminal(after.state)) return learned;
  const end = endWith(learned, how);
  return end === null
    ? { ...learned, state: 'live', matchedShares: null }
    : { ...learned, ...end, reserved: NOTHING_RESERVED };
}

/**
 * How the order ends with its attempt; null where it waits again, also for a rest that the venue's
 * rules may find too little. One of which nothing is left is filled, however its attempt ended: a
 * fill of an earlier one may have come meanwhile.
 */
function endWith(order: OrderRecord, { nowMs, mayRest }: AttemptFold): WaitingEnd | null {
  const { intent, state, reason, filledShares, cancelWanted } = order;
  if (isComplete(order)) return { state: 'filled', reason: null };
  if (!mayRest)
    return { state: state === 'rejected' && filledShares > 0 ? 'cancelled' : state, reason };
  if (cancelWanted) return { state: 'cancelled', reason };
  const hasExpired = intent.expiresAtMs !== null && nowMs >= intent.expiresAtMs;
  return hasExpired ? { state: 'expired', reason } : null;
}

function isComplete({ intent, filledShares, filledUsdc }: OrderRecord): boolean {
  const { side, exact, spendMicros, receiveMicros } = intent;
  const [given, got] = side === 'buy' ? [filledUsdc, filledShares] : [filledShares, filledUsdc];
  return exact === 'receive' ? got >= receiveMicros : given >= spendMicros;
}
