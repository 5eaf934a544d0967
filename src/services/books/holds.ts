import type { Hold } from '../../domain/cash.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import {
  bookedHoldId,
  bookHoldEntry,
  heldLeftEntry,
  holdEntry,
  holdId,
  releaseHoldEntry,
  takenBackEntry,
  type HoldRef,
} from '../../domain/ledger-entries.ts';
import type { LedgerEntry } from '../../domain/ledger.ts';
import { availableUsdc, cashRisk, withHold } from '../../domain/risk.ts';
import { formatMicros } from '../../domain/units.ts';
import { mismatchText } from '../../domain/wallet-mismatch.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { balanceOf, postToLedger, riskOf } from './record-changes.ts';
import { LEDGER_ENTRIES, OPEN_HOLDS, RISK } from './tables.ts';
import { blockingMismatch } from './wallet-mismatches.ts';

/**
 * Sets a cash account's USDC aside in the caller's transaction, the one that stores what it is for:
 * from then on no order and no other hold can spend it (L5). The chain's word ends it, through
 * `endHold`: a Safe's by a final block that shows the action's transaction, or that its nonce was
 * used by another; an EVM account's by the same of its own nonce; a Solana account's by a finalised
 * signature, or a block height past the last valid one. Errors: `insufficient_funds`.
 */
export function openHold(tx: StoreWriter, hold: Hold, atMs: number): void {
  const { userId, holdId } = hold;
  assertFree(tx, hold);
  assert(postToLedger(tx, userId, holdEntry(hold, atMs)), `hold ${holdId} is made once`);
  tx.put(OPEN_HOLDS, [userId, holdId], hold, 0);
  tx.put(RISK, [userId], withHold(riskOf(tx, userId), hold, 'opened'));
}

/** Refuses to set aside more than is free. It only reads. Errors: `insufficient_funds`. */
export function assertFree(
  reader: StoreReader,
  { userId, cashAccount, usdc }: Pick<Hold, 'userId' | 'cashAccount' | 'usdc'>,
): void {
  const { settled } = balanceOf(reader, userId, cashAccount);
  const available = availableUsdc(riskOf(reader, userId), cashAccount, settled);
  if (usdc > available) {
    throw new AppError(
      'insufficient_funds',
      `${formatMicros(usdc)} USDC are to leave and ${formatMicros(available)} are free${whyNotFree(reader, { userId, cashAccount })}`,
      { fields: [{ path: '/amount', message: `at most ${formatMicros(available)}` }] },
    );
  }
}

/** Why money that was asked for is not free; nothing where there is just less of it. */
function whyNotFree(
  reader: StoreReader,
  { userId, cashAccount }: Pick<Hold, 'userId' | 'cashAccount'>,
): string {
  const mismatch = blockingMismatch(reader, userId, cashAccount);
  if (mismatch !== null) return `: ${mismatchText(mismatch)}, and nothing leaves until both agree`;
  const { reservedUsdc, outgoingUsdc } = cashRisk(riskOf(reader, userId), cashAccount);
  return reservedUsdc + outgoingUsdc > 0
    ? ': the rest is held by orders, trades on their way or other withdrawals'
    : '';
}

/**
 * Ends a hold in the caller's transaction, once: `booked` on proof that the money left, `released`
 * on proof that it never will. A hold that is not open is a programmer's error.
 */
export function endHold(
  tx: StoreWriter,
  { userId, holdId }: Pick<Hold, 'userId' | 'holdId'>,
  { how, atMs }: { readonly how: 'booked' | 'released'; readonly atMs: number },
): void {
  const hold = tx.get(OPEN_HOLDS, [userId, holdId])?.value;
  assert(hold !== undefined, `hold ${holdId} is open until it ends`);
  postToLedger(
    tx,
    userId,
    how === 'booked' ? bookHoldEntry(hold, atMs) : releaseHoldEntry(hold, atMs),
  );
  tx.remove(OPEN_HOLDS, [userId, holdId]);
  tx.put(RISK, [userId], withHold(riskOf(tx, userId), hold, 'ended'));
}

/**
 * Books a hold that has left as still there, in the caller's transaction: on the chain's proof that
 * the block it left in was taken back and it did not leave after all. Nothing where none left.
 */
export function takeBackHold(tx: StoreWriter, hold: HoldRef, atMs: number): void {
  const newest = newestEnd(tx, hold);
  if (newest !== null) postEnd(tx, hold, takenBackEntry(newest, atMs));
}

/** Books a hold that was given back, or taken back, as left after all, on the same proof. */
export function bookHoldAfterAll(tx: StoreWriter, hold: HoldRef, atMs: number): void {
  const newest = newestEnd(tx, hold);
  if (newest !== null) return postEnd(tx, hold, takenBackEntry(newest, atMs));
  const held = tx.get(LEDGER_ENTRIES, [holdId(hold)])?.value;
  if (held !== undefined) postEnd(tx, hold, heldLeftEntry(held, atMs));
}

/** Its user is notified of the end of what it was for. */
function postEnd(tx: StoreWriter, { userId }: HoldRef, entry: LedgerEntry): void {
  assert(postToLedger(tx, userId, entry, { isToldByTransfer: true }), 'an end is booked once');
}

/** The newest entry by which a hold has left, or that took such a one back. */
function newestEnd(reader: StoreReader, hold: HoldRef): LedgerEntry | null {
  const newestOf = (entryId: string): LedgerEntry | null =>
    newestBack(reader, entryId) ?? reader.get(LEDGER_ENTRIES, [entryId])?.value ?? null;
  return newestOf(bookedHoldId(hold)) ?? newestOf(`departure:${holdId(hold)}`);
}

/** What takes an entry back may be taken back itself. */
function newestBack(reader: StoreReader, entryId: string): LedgerEntry | null {
  const back = reader.get(LEDGER_ENTRIES, [`taken_back:${entryId}`])?.value;
  return back === undefined ? null : (newestBack(reader, back.entryId) ?? back);
}

/** Returns a user's holds that have not ended. */
export function openHolds(reader: StoreReader, userId: UserId): readonly Hold[] {
  return reader.range(OPEN_HOLDS, { prefix: [userId] }).map(({ value }) => value);
}
