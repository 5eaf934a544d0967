import { assert } from '../../domain/errors.ts';
import { asId, type TokenId, type UserId } from '../../domain/ids.ts';
import { payoutEntry, payoutMicros } from '../../domain/ledger-entries.ts';
import type { Resolution } from '../../domain/market.ts';
import { foldPartPayout, foldResolution } from '../../domain/position-fold.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { shareMicros, usdcMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { balanceOf, postToLedger, putPosition } from './record-changes.ts';
import {
  FILLS,
  LEDGER_ENTRIES,
  OPEN_FILLS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDERS,
  POSITIONS,
  RESOLUTIONS,
} from './tables.ts';

/** Payouts one position can have: a second one only when a trade was reported after the first. */
const PAYOUTS_MAXIMUM = 100;

/**
 * Stores how a market ended, once, with the fact; false when it was known. The acknowledgement
 * stands.
 */
export function bookResolution(tx: StoreWriter, resolution: Resolution, nowMs: number): boolean {
  if (tx.get(RESOLUTIONS, [resolution.marketId]) !== null) return false;
  tx.put(RESOLUTIONS, [resolution.marketId], resolution);
  tx.append({ type: 'market.resolved', atMs: nowMs, marketId: resolution.marketId, resolution });
  return true;
}

/**
 * Whose position in which token, and whether what won there is redeemed on chain before it is
 * booked.
 */
export interface PayoutHolder {
  readonly userId: UserId;
  readonly tokenId: TokenId;
  readonly isRedeemed: boolean;
  readonly nowMs: number;
}

/**
 * Pays a position out in the caller's transaction, as it stands there, once everything about it is
 * final (L3): `pending` while a fill or an order of the token is in motion, `paid` when it held
 * shares, `nothing` when it held none or was paid before. Where winners are redeemed on chain, a
 * position that won is marked and `won`: only what the chain pays is booked. Elsewhere the venue
 * pays by itself, and this books what has happened there.
 */
export function bookPayout(
  tx: StoreWriter,
  resolution: Resolution,
  { userId, tokenId, isRedeemed, nowMs }: PayoutHolder,
): 'won' | 'paid' | 'pending' | 'nothing' {
  if (tx.get(OPEN_POSITIONS, [resolution.marketId, userId, tokenId]) === null) return 'nothing';
  const position = tx.get(POSITIONS, [userId, tokenId])?.value;
  assert(position !== undefined, `an open position has a record: ${tokenId}`);
  if (isRedeemed && hasWon(position, resolution)) {
    markResolved(tx, position, { resolution, nowMs });
    return 'won';
  }
  if (isInMotion(tx, position)) {
    markResolved(tx, position, { resolution, nowMs });
    return 'pending';
  }
  if (position.shares <= 0) {
    tx.remove(OPEN_POSITIONS, [position.marketId, userId, tokenId]);
    return 'nothing';
  }
  const { settled } = balanceOf(tx, userId, tokenId);
  assert(
    settled === position.shares,
    `position in ${tokenId} and the ledger agree: ${position.shares} and ${settled}`,
  );
  postPayout(tx, position, {
    shares: settled,
    usdc: payoutMicros(shareMicros(settled), resolution.payoutTicks[position.outcome]),
    nowMs,
  });
  return 'paid';
}

/** True for a position whose outcome was paid something. */
export function hasWon({ shares, outcome }: PositionRecord, { payoutTicks }: Resolution): boolean {
  return shares > 0 && payoutTicks[outcome] > 0;
}

/** Marks a position that won and is not paid. */
function markResolved(
  tx: StoreWriter,
  position: PositionRecord,
  { resolution, nowMs }: { readonly resolution: Resolution; readonly nowMs: number },
): void {
  const resolved = foldResolution(position, resolution.payoutTicks[position.outcome]);
  if (resolved.state !== position.state) putPosition(tx, position, resolved, nowMs);
}

/**
 * Books what was paid for some or all settled shares of a resolved position, and moves the position
 * on.
 */
export function postPayout(
  tx: StoreWriter,
  position: PositionRecord,
  {
    shares,
    usdc,
    nowMs,
  }: { readonly shares: number; readonly usdc: number; readonly nowMs: number },
): void {
  const { userId, cashAccount, tokenId, marketId } = position;
  const after = foldPartPayout(position, { shares, usdc }, nowMs);
  if (after.shares === 0) tx.remove(OPEN_POSITIONS, [marketId, userId, tokenId]);
  postToLedger(
    tx,
    userId,
    payoutEntry({
      userId,
      cashAccount,
      tokenId,
      marketId: payoutName(tx, position),
      shares: shareMicros(shares),
      usdc: usdcMicros(usdc),
      atMs: nowMs,
    }),
  );
  putPosition(tx, position, after, nowMs);
}

/**
 * True while a fill that is not final, or an order that has not ended, may still change the
 * position.
 */
export function isInMotion(
  reader: StoreReader,
  { userId, marketId, tokenId }: PositionRecord,
): boolean {
  const openFills = reader.range(OPEN_FILLS, { prefix: [userId] });
  if (openFills.some(({ key }) => reader.get(FILLS, key)?.value.tokenId === tokenId)) return true;
  const openOrders = reader.range(OPEN_ORDERS, { prefix: [userId] });
  return openOrders.some(
    ({ key, value }) =>
      value.marketId === marketId && reader.get(ORDERS, key)?.value.intent.tokenId === tokenId,
  );
}

/** The ledger's name for a payout (src/domain/ledger-entries.ts). */
export function payoutEntryId({
  marketId,
  userId,
  tokenId,
}: Pick<PositionRecord, 'marketId' | 'userId' | 'tokenId'>): string {
  return `payout:${marketId}:${userId}:${tokenId}`;
}

/**
 * Names the payout by its market; one that follows a trade reported after the first payout carries
 * a number.
 */
function payoutName(
  reader: StoreReader,
  { marketId, userId, tokenId }: PositionRecord,
): PositionRecord['marketId'] {
  for (let number = 1; number <= PAYOUTS_MAXIMUM; number += 1) {
    const name =
      number === 1 ? marketId : asId<PositionRecord['marketId']>(`${marketId}#${number}`);
    if (reader.get(LEDGER_ENTRIES, [payoutEntryId({ marketId: name, userId, tokenId })]) === null)
      return name;
  }
  throw new Error(`invariant broken: position in ${tokenId} was paid ${PAYOUTS_MAXIMUM} times`);
}
