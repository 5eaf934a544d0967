import { AppError, assert } from '../../domain/errors.ts';
import {
  type FillRecord,
  type SettlementState,
  type TradeStatus,
  type VenueFill,
} from '../../domain/fill.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import { fillEntry, reverseEntry, settleEntry } from '../../domain/ledger-entries.ts';
import type { Market } from '../../domain/market.ts';
import type { OrderIntent, OrderRecord } from '../../domain/order.ts';
import { foldFill as foldIntoPosition, type PositionTerms } from '../../domain/position-fold.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { costMicros, shareMicros, usdcMicros } from '../../domain/units.ts';
import type { OrderRules } from '../../ports/order-rules.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { leavePosition } from './fill-reversals.ts';
import { orderOf, tradedMarket } from './kept-fills.ts';
import { foldFill as foldIntoOrder, type FoldContext } from './order-fold.ts';
import { foldSettlement } from './settlement-fold.ts';
import { countSettlement } from './settlement-health.ts';
import { postToLedger, putFill, putOrder, putPosition } from './record-changes.ts';
import { FILLS, ORDERS, ORDER_IDS, POSITIONS, TOKEN_FILLS, USER_FILLS } from './tables.ts';

/** What a venue fill changed here. */
export type FillResult = 'recorded' | 'upgraded' | 'settled' | 'reversed' | 'unchanged' | 'foreign';

/** What booking a fill did. */
export interface Booking {
  readonly result: FillResult;
  /** The order when the fill moved it, else null. */
  readonly order: OrderRecord | null;
  /** True when the venue took back a word it had called final. */
  readonly contradicts: boolean;
}

/** When a fill is booked, and by which venue's rules. */
export interface BookingContext {
  readonly nowMs: number;
  readonly termsOf: (intent: OrderIntent) => BookingTerms;
}

/** What is true of orders and fees at a venue. */
export interface BookingTerms {
  readonly rules: Pick<OrderRules, 'feeOf'>;
  readonly traits: FoldContext['traits'];
}

/** A fill of which nothing is known yet. */
interface NewFill extends FoldContext {
  readonly rules: BookingTerms['rules'];
  readonly fill: VenueFill;
  readonly order: OrderRecord;
  readonly market: Market;
}

const NOTHING: Booking = { result: 'unchanged', order: null, contradicts: false };

/**
 * Books what the venue says of one trade of one order, in the caller's transaction (L3): once each
 * for match, settlement and reversal. An acknowledgement that is already final books the match and
 * its end together. Old words after a final one change nothing. A trade confirmed after it had
 * failed is booked anew under a name of its own, and called a contradiction, as is a failure after
 * a confirmation, which is not believed.
 */
export function bookFill(tx: StoreWriter, fill: VenueFill, context: BookingContext): Booking {
  const ref = tx.get(ORDER_IDS, [fill.orderId])?.value;
  if (ref === undefined) return { ...NOTHING, result: 'foreign' };
  const known = knownFill(tx, ref.userId, fill);
  if (known === null) {
    const order = tx.get(ORDERS, [ref.userId, ref.intentId])?.value;
    assert(order !== undefined, `order ${fill.orderId} has a record`);
    const { rules, traits } = context.termsOf(order.intent);
    const market = tradedMarket(tx, order.intent);
    return recordNew(tx, { fill, order, market, nowMs: context.nowMs, rules, traits });
  }
  if (known.settlement === 'provisional') return upgrade(tx, known, fill, context.nowMs);
  const isConfirmedAfterFailure = known.settlement === 'reversed' && fill.word === 'confirmed';
  if (isConfirmedAfterFailure) {
    // The chain has charged for the one transaction once.
    const { gas: _paid, ...withoutGas } = known;
    if (known.transactionHash === fill.transactionHash) putFill(tx, known, withoutGas);
    return { ...bookFill(tx, { ...fill, tradeId: againName(fill) }, context), contradicts: true };
  }
  return { ...NOTHING, contradicts: known.settlement === 'settled' && fill.word === 'failed' };
}

/**
 * True when booking the fill would change nothing: the reads before a write that spare the write.
 */
export function saysNothingNew(reader: StoreReader, fill: VenueFill): boolean {
  const ref = reader.get(ORDER_IDS, [fill.orderId])?.value;
  if (ref === undefined) return false;
  const known = knownFill(reader, ref.userId, fill);
  if (known === null) return false;
  if (known.settlement === 'provisional') return !isLaterWord(known, fill);
  return known.settlement === 'settled' ? fill.word !== 'failed' : fill.word !== 'confirmed';
}

/**
 * Returns the failure of a fill that is not final: the venue states its order without it, or its
 * order can never have landed.
 */
export function failureOf(fill: FillRecord): VenueFill {
  return {
    tradeId: fill.tradeId,
    orderId: fill.orderId,
    marketId: fill.marketId,
    tokenId: fill.tokenId,
    side: fill.side,
    role: fill.role,
    legs: [],
    fee: null,
    word: 'failed',
    matchedAtMs: fill.matchedAtMs,
    transactionHash: fill.transactionHash,
  };
}

/** The record of a trade; the one booked after a contradiction is the trade from then on. */
function knownFill(reader: StoreReader, userId: UserId, fill: VenueFill): FillRecord | null {
  const again = reader.get(FILLS, [userId, fill.orderId, againName(fill)])?.value;
  return again ?? reader.get(FILLS, [userId, fill.orderId, fill.tradeId])?.value ?? null;
}

function againName({ tradeId }: VenueFill): VenueFill['tradeId'] {
  return asId(`${tradeId}:again`);
}

function recordNew(tx: StoreWriter, input: NewFill): Booking {
  const { fill, order, market, nowMs } = input;
  const { userId, tokenId } = order.intent;
  const held = () => tx.get(POSITIONS, [userId, tokenId])?.value ?? null;
  const record = withReleased(recordOf(input), held(), termsOf(market, order));
  const after = foldIntoOrder(order, record, input);
  putOrder(tx, order, after);
  putFill(tx, null, record);
  const seq = tx.append({ type: 'fill.recorded', userId, atMs: nowMs, fill: record });
  const place = { orderId: record.orderId, tradeId: record.tradeId };
  tx.put(TOKEN_FILLS, [userId, tokenId, seq], place);
  tx.put(USER_FILLS, [userId, seq], place);
  postToLedger(tx, userId, fillEntry(record, nowMs));
  // Read again: the order's end may have marked the position.
  const before = held();
  putPosition(tx, before, foldIntoPosition(before, record, termsOf(market, order)), nowMs);
  const settlement = finalOf(fill.word);
  if (settlement !== null)
    finalise(tx, record, {
      settlement,
      word: fill.word,
      transactionHash: fill.transactionHash,
      nowMs,
    });
  return {
    result: settlement ?? 'recorded',
    order: orderOf(tx, record),
    contradicts: false,
  };
}

/** Notes what the shares of a sale had cost. */
function withReleased(
  fill: FillRecord,
  before: PositionRecord | null,
  terms: PositionTerms,
): FillRecord {
  if (fill.side === 'buy' || before === null) return fill;
  return {
    ...fill,
    releasedUsdc: usdcMicros(
      Math.max(0, before.costUsdc - foldIntoPosition(before, fill, terms).costUsdc),
    ),
  };
}

function recordOf({ fill, order, market, nowMs, rules }: NewFill): FillRecord {
  const { intent } = order;
  if (fill.tokenId !== intent.tokenId || fill.side !== intent.side || fill.legs.length === 0) {
    throw new AppError(
      'venue_protocol',
      `trade ${fill.tradeId} does not fit order ${fill.orderId}`,
    );
  }
  // A buyer's cost is rounded up and a seller's proceeds down, so that the books never hold more
  // than the venue pays.
  const rounding = fill.side === 'buy' ? 'ceil' : 'floor';
  return {
    userId: intent.userId,
    cashAccount: intent.cashAccount,
    intentId: intent.intentId,
    orderId: fill.orderId,
    tradeId: fill.tradeId,
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    outcome: intent.outcome,
    side: intent.side,
    role: fill.role,
    shares: shareMicros(fill.legs.reduce((sum, leg) => sum + leg.shares, 0)),
    usdc: usdcMicros(
      fill.legs.reduce(
        (sum, leg) => sum + (leg.usdc ?? costMicros(leg.shares, leg.price, rounding)),
        0,
      ),
    ),
    ...feeOf(fill, market, rules),
    settlement: 'provisional',
    word: 'matched',
    transactionHash: fill.transactionHash,
    ...gasOf(fill),
    // The venue stamps whole seconds, rounded down, by its own clock: no match is older than its
    // order.
    matchedAtMs: Math.max(fill.matchedAtMs, intent.createdAtMs),
    recordedAtMs: nowMs,
  };
}

function gasOf({ gas }: VenueFill): Pick<FillRecord, 'gas'> {
  return gas === undefined ? {} : { gas };
}

/** The fee as the venue states it; where it states none, as its rules work it out. */
function feeOf(
  { tradeId, side, role, legs, fee: stated }: VenueFill,
  market: Market,
  rules: BookingTerms['rules'],
): Pick<FillRecord, 'fee' | 'feeShares'> {
  if (stated === null) return { fee: rules.feeOf(market, legs, role) };
  const { unit, micros } = stated;
  const bought = side === 'buy' ? legs.reduce((sum, leg) => sum + leg.shares, 0) : 0;
  if (!Number.isSafeInteger(micros) || micros < 0 || (unit === 'shares' && micros >= bought))
    throw new AppError('venue_protocol', `trade ${tradeId} states a fee of ${micros} ${unit}`);
  return unit === 'cash'
    ? { fee: usdcMicros(micros) }
    : { fee: usdcMicros(0), feeShares: shareMicros(micros) };
}

function upgrade(tx: StoreWriter, known: FillRecord, fill: VenueFill, nowMs: number): Booking {
  const settlement = finalOf(fill.word);
  if (settlement !== null) {
    finalise(
      tx,
      { ...known, ...gasOf(fill) },
      { settlement, word: fill.word, transactionHash: fill.transactionHash, nowMs },
    );
    return { ...NOTHING, result: settlement };
  }
  if (!isLaterWord(known, fill)) return NOTHING;
  putFill(tx, known, {
    ...known,
    ...gasOf(fill),
    word: fill.word,
    transactionHash: fill.transactionHash,
  });
  return { ...NOTHING, result: 'upgraded' };
}

interface Finality {
  readonly settlement: 'settled' | 'reversed';
  readonly word: TradeStatus;
  readonly transactionHash: string | null;
  readonly nowMs: number;
}

function finalise(
  tx: StoreWriter,
  fill: FillRecord,
  { settlement, word, transactionHash, nowMs }: Finality,
): void {
  const { userId, intentId, orderId, tradeId } = fill;
  putFill(tx, fill, { ...fill, settlement, word, transactionHash });
  // Neither its state nor what is set aside for it changes: nothing else follows the order.
  const order = foldSettlement(orderOf(tx, fill), fill, settlement, nowMs);
  tx.put(ORDERS, [userId, intentId], order);
  countSettlement(tx, order.intent, settlement === 'reversed', nowMs);
  if (settlement === 'settled') {
    postToLedger(tx, userId, settleEntry(fill, nowMs));
    tx.append({ type: 'fill.settled', userId, atMs: nowMs, tradeId, orderId, transactionHash });
    return;
  }
  postToLedger(tx, userId, reverseEntry(fill, nowMs));
  leavePosition(tx, fill, nowMs);
}

function termsOf(market: Market, { intent: { origin } }: OrderRecord): PositionTerms {
  return { market, agentId: origin.kind === 'agent' ? origin.agentId : null };
}

function finalOf(word: TradeStatus): Exclude<SettlementState, 'provisional'> | null {
  if (word === 'confirmed') return 'settled';
  return word === 'failed' ? 'reversed' : null;
}

/**
 * `matched` comes first and is never returned to; mined and retrying may alternate, each with a
 * hash of its own.
 */
function isLaterWord(known: FillRecord, fill: VenueFill): boolean {
  if (fill.word === 'matched') return false;
  return fill.word !== known.word || fill.transactionHash !== known.transactionHash;
}
