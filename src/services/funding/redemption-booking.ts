import { backOffMs } from '../../domain/back-off.ts';
import { REDEEM } from '../../../config/limits/funds.ts';
import { AppError } from '../../domain/errors.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { TransactionId, MarketId, UserId } from '../../domain/ids.ts';
import { payoutMicros, sharesGoneEntry } from '../../domain/ledger-entries.ts';
import { foldGone, foldRedeeming } from '../../domain/position-fold.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { TICKS_PER_USD, mulDiv, shareMicros, usdcMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import {
  isInMotion,
  postPayout,
  takeBackPayout,
  type BookedPayout,
} from '../books/payout-booking.ts';
import { balanceOf, postToLedger, putPosition } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { OPEN_POSITIONS, POSITIONS, RESOLUTIONS } from '../books/tables.ts';
import { bookArrival, takeBackArrival } from './movement-booking.ts';
import { ARRIVALS, REDEEMED_PAYOUTS, REDEMPTIONS } from './tables.ts';

/** Whose positions in which market, paid out to which of their accounts. */
export interface Holder {
  readonly userId: UserId;
  readonly marketId: MarketId;
  readonly cashAccount: CashAccount;
  /** Wall time, by which attempts are repeated. */
  readonly nowMs: number;
  /** Market time, in which the books are kept. */
  readonly bookedAtMs: number;
}

/** A position that won, with what its market pays a share. */
export interface WonPosition {
  readonly position: PositionRecord;
  readonly payoutTicks: number;
}

/** What an account holds of a resolved market that is worth something and not paid. */
export function wonPositions(
  reader: StoreReader,
  { userId, marketId, cashAccount }: Omit<Holder, 'nowMs' | 'bookedAtMs'>,
): readonly WonPosition[] {
  const resolution = reader.get(RESOLUTIONS, [marketId])?.value;
  if (resolution === undefined) return [];
  return reader.range(OPEN_POSITIONS, { prefix: [marketId, userId] }).flatMap(({ key }) => {
    const position = reader.get(POSITIONS, [userId, key[2] ?? ''])?.value;
    // What lies in another wallet is redeemed there.
    if (position?.cashAccount !== cashAccount || position.shares <= 0) return [];
    const payoutTicks = resolution.payoutTicks[position.outcome];
    return payoutTicks > 0 ? [{ position, payoutTicks }] : [];
  });
}

/**
 * Books a redemption by what the chain paid, in the caller's transaction: whole positions while the
 * money lasts, then the part it covers; shares that settled after the redemption stay to be
 * redeemed. More than the books knew of came from outside and is booked as a deposit. Returns the
 * payouts. Errors: `settlement_pending` while a fill of the market is not final: ask again then.
 */
export function bookRedemption(
  tx: StoreWriter,
  holder: Holder & {
    readonly paidMicros: number;
    readonly transactionId: TransactionId;
    readonly transactionHash: string;
  },
): readonly BookedPayout[] {
  const { userId, marketId, cashAccount, bookedAtMs: nowMs, paidMicros, transactionId } = holder;
  const payouts: BookedPayout[] = [];
  let left = paidMicros;
  for (const { position, payoutTicks } of wonPositions(tx, holder)) {
    if (isInMotion(tx, position))
      throw new AppError('settlement_pending', `a fill in market ${marketId} is not final`, {
        retryable: true,
      });
    const { settled } = balanceOf(tx, userId, position.tokenId);
    const owed = payoutMicros(shareMicros(settled), payoutTicks);
    const usdc = Math.min(owed, left);
    const shares = usdc === owed ? settled : mulDiv(usdc, TICKS_PER_USD, payoutTicks, 'floor');
    left -= usdc;
    if (shares > 0) payouts.push(postPayout(tx, position, { shares, usdc, nowMs }));
    else putPosition(tx, position, foldRedeeming(position, false), nowMs);
  }
  if (left > 0)
    bookArrival(
      tx,
      {
        userId,
        cashAccount,
        transferId: restName(transactionId),
        usdc: usdcMicros(left),
        transactionHash: holder.transactionHash,
        via: 'direct',
      },
      holder,
    );
  tx.remove(REDEMPTIONS, [userId, marketId]);
  return payouts;
}

/** Names what a redemption brought beyond its payouts, as a deposit. */
function restName(transactionId: TransactionId): string {
  return `redeemed:${transactionId}`;
}

/**
 * Books that a redemption was not carried out after all, since its block was taken back: its kept
 * payouts and what it brought beside them leave the books, once, and its positions wait to be
 * redeemed again. False where the books do not say what it had booked.
 */
export function takeBackRedemption(
  tx: StoreWriter,
  holder: Holder & {
    readonly transactionId: TransactionId;
    readonly transactionHash: string | null;
  },
): boolean {
  const { userId, transactionId, transactionHash, bookedAtMs: nowMs } = holder;
  const booked = tx.get(REDEEMED_PAYOUTS, [userId, transactionId])?.value;
  if (booked === undefined) return false;
  for (const payout of booked.payouts)
    takeBackPayout(tx, userId, { payout, transactionHash, nowMs });
  const arrivals = tx.range(ARRIVALS, { prefix: [userId, booked.bookedAtMs] });
  for (const { value: arrival } of arrivals)
    if (arrival.transferId.startsWith(restName(transactionId)))
      takeBackArrival(tx, { userId, arrival }, holder);
  tx.remove(REDEEMED_PAYOUTS, [userId, transactionId]);
  giveUpRedemption(tx, holder);
  return true;
}

/**
 * Notes that a redemption came to nothing: its positions wait to be redeemed again, longer after
 * each failure.
 */
export function giveUpRedemption(tx: StoreWriter, holder: Holder): void {
  const { userId, marketId, nowMs } = holder;
  for (const { position } of wonPositions(tx, holder)) {
    const after = foldRedeeming(position, false);
    if (after !== position) putPosition(tx, position, after, holder.bookedAtMs);
  }
  const before = tx.get(REDEMPTIONS, [userId, marketId])?.value;
  const failures = (before?.failures ?? 0) + 1;
  const waitMs = backOffMs(failures - 1, {
    firstMs: REDEEM.retryFirstMs,
    maximumMs: REDEEM.retryMaximumMs,
  });
  tx.put(REDEMPTIONS, [userId, marketId], { ...before, failures, nextAtMs: nowMs + waitMs });
}

/**
 * Folds one reading of the chain that found none of a market's won shares in the account, in the
 * caller's transaction: the first is noted, a later one ends the positions for good. Whoever took
 * the shares away was not us: an own redemption would be in the books. Errors: `conflict` while a
 * fill of the market is not final.
 */
export function bookEmptyAccount(tx: StoreWriter, holder: Holder): 'noted' | 'waiting' | 'gone' {
  const { userId, marketId, nowMs, bookedAtMs } = holder;
  // A restored store may lack the very redemption that emptied it.
  if (isLacking(tx, userId)) return 'waiting';
  const attempts = tx.get(REDEMPTIONS, [userId, marketId])?.value;
  if (attempts === undefined) return 'waiting';
  if (attempts.emptySinceMs === undefined) {
    tx.put(REDEMPTIONS, [userId, marketId], { ...attempts, emptySinceMs: nowMs });
    return 'noted';
  }
  if (nowMs - attempts.emptySinceMs < REDEEM.goneAfterMs) return 'waiting';
  for (const { position } of wonPositions(tx, holder)) closeGone(tx, position, bookedAtMs);
  tx.remove(REDEMPTIONS, [userId, marketId]);
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'shares_gone',
    subject: marketId,
    detail: `${attempts.failures} redemptions brought nothing, and the ${cashAccountRow(holder.cashAccount).name} holds none of the shares`,
  });
  return 'gone';
}

/** Takes back what readings of an empty account noted: there are shares in it. */
export function forgetEmptyAccount(
  tx: StoreWriter,
  { userId, marketId }: Pick<Holder, 'userId' | 'marketId'>,
): void {
  const attempts = tx.get(REDEMPTIONS, [userId, marketId])?.value;
  if (attempts?.emptySinceMs !== undefined)
    tx.put(REDEMPTIONS, [userId, marketId], {
      failures: attempts.failures,
      nextAtMs: attempts.nextAtMs,
    });
}

function closeGone(tx: StoreWriter, position: PositionRecord, atMs: number): void {
  const { userId, marketId, tokenId } = position;
  if (isInMotion(tx, position))
    throw new AppError('settlement_pending', `a fill in market ${marketId} is not final`, {
      retryable: true,
    });
  const { settled } = balanceOf(tx, userId, tokenId);
  postToLedger(
    tx,
    userId,
    sharesGoneEntry({ userId, marketId, tokenId, shares: shareMicros(settled), atMs }),
  );
  tx.remove(OPEN_POSITIONS, [marketId, userId, tokenId]);
  putPosition(tx, position, foldGone(position, atMs), atMs);
}
