import { assert } from '../../domain/errors.ts';
import { feeWorth, sharesMoved, type FillRecord } from '../../domain/fill.ts';
import { settleEntry, takenBackEntry } from '../../domain/ledger-entries.ts';
import { foldFill as foldIntoPosition, foldFills } from '../../domain/position-fold.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { orderOf, standingFills, tradedMarket } from './kept-fills.ts';
import { isPaidOut } from './payout-booking.ts';
import { postToLedger, putFill, putPosition } from './record-changes.ts';
import { foldUnsettled } from './settlement-fold.ts';
import { ORDERS, POSITIONS } from './tables.ts';

/**
 * Takes a settled fill back, on the chain's proof that its transaction did nothing after all: the
 * block that had it was taken back, and another end took its place. `foldOrder` says what that is
 * to its order.
 */
export function takeBackSettled(
  tx: StoreWriter,
  fill: FillRecord,
  nowMs: number,
  foldOrder: typeof foldUnsettled = foldUnsettled,
): void {
  const { userId, intentId, tradeId, settlement } = fill;
  assert(settlement === 'settled', `fill ${tradeId} is settled before that is undone`);
  putFill(tx, fill, { ...fill, settlement: 'reversed', word: 'failed' });
  tx.put(ORDERS, [userId, intentId], foldOrder(orderOf(tx, fill), fill, nowMs));
  postToLedger(tx, userId, takenBackEntry(settleEntry(fill, nowMs), nowMs));
  leavePosition(tx, fill, nowMs);
}

/** Takes a reversed fill out of its position, with the fact. */
export function leavePosition(tx: StoreWriter, fill: FillRecord, nowMs: number): void {
  const { userId, orderId, tradeId, tokenId } = fill;
  tx.append({ type: 'fill.reversed', userId, atMs: nowMs, tradeId, orderId });
  const before = tx.get(POSITIONS, [userId, tokenId])?.value;
  assert(before !== undefined, `fill ${tradeId} has a position`);
  putPosition(tx, before, withoutFill(tx, before, fill, nowMs), {
    atMs: nowMs,
    takesBackFromMs: fill.recordedAtMs,
  });
}

/**
 * The position without a reversed fill. What was paid out before, or moved by hand, is no fill and
 * cannot be folded anew: there the fill is taken back by its opposite.
 */
function withoutFill(
  tx: StoreWriter,
  before: PositionRecord,
  fill: FillRecord,
  nowMs: number,
): PositionRecord {
  if (!isPaidOut(tx, before) && before.isMoved !== true) return refolded(tx, before, nowMs);
  const market = tradedMarket(tx, before);
  const opposite = {
    ...fill,
    side: fill.side === 'buy' ? 'sell' : 'buy',
    shares: shareMicros(sharesMoved(fill)),
    fee: usdcMicros(-fill.fee),
    matchedAtMs: nowMs,
  } as const;
  const folded = foldIntoPosition(before, opposite, { market, agentId: before.agentId });
  return { ...folded, feesUsdc: usdcMicros(Math.max(0, before.feesUsdc - feeWorth(fill))) };
}

/**
 * The position without its reversed fills; one that has none left is closed and never earned or
 * lost anything.
 */
function refolded(tx: StoreWriter, before: PositionRecord, nowMs: number): PositionRecord {
  const market = tradedMarket(tx, before);
  const folded = foldFills(standingFills(tx, before.userId, before.tokenId), {
    market,
    agentId: before.agentId,
  });
  if (folded === null) {
    return {
      ...before,
      state: 'closed',
      shares: shareMicros(0),
      costUsdc: usdcMicros(0),
      realizedPnl: usdcMicros(0),
      feesUsdc: usdcMicros(0),
      closedAtMs: nowMs,
    };
  }
  return folded.state === 'open' && (before.state === 'closing' || before.state === 'resolved')
    ? { ...folded, state: before.state }
    : folded;
}
