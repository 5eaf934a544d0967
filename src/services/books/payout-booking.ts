import { assert } from '../../domain/errors.ts';
import { asId, type TokenId, type UserId } from '../../domain/ids.ts';
import { payoutEntry, payoutMicros, takenBackEntry } from '../../domain/ledger-entries.ts';
import type { Resolution } from '../../domain/market.ts';
import {
  foldPartPayout,
  foldResolution,
  foldUnpaid,
  isForWholeDollars,
} from '../../domain/position-fold.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { shareMicros, usdcMicros, type ShareMicros, type UsdcMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { standingFills } from './kept-fills.ts';
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

/**
 * Payouts one position can have: a second one only when a trade was reported after the first, or
 * the chain took the first back.
 */
const PAYOUTS_MAXIMUM = 100;

/**
 * Stores how a market ended, once, with the fact; false when it was known. The acknowledgement
 * remains.
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
 * Pays a position out in the caller's transaction, as it is there, once everything about it is
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

/** A payout in the books, as it can be taken back. */
export interface BookedPayout {
  readonly entryId: string;
  readonly tokenId: TokenId;
  readonly shares: ShareMicros;
  readonly usdc: UsdcMicros;
  /** What the shares had cost, which went with them. */
  readonly costUsdc: UsdcMicros;
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
): BookedPayout {
  const { userId, cashAccount, tokenId, marketId } = position;
  const after = foldPartPayout(position, { shares, usdc }, nowMs);
  if (after.shares === 0) tx.remove(OPEN_POSITIONS, [marketId, userId, tokenId]);
  const paid = { tokenId, shares: shareMicros(shares), usdc: usdcMicros(usdc) };
  const entry = payoutEntry({
    userId,
    cashAccount,
    ...paid,
    marketId: payoutName(tx, position),
    atMs: nowMs,
  });
  postToLedger(tx, userId, entry);
  putPosition(tx, position, after, nowMs);
  const costUsdc = usdcMicros(position.costUsdc - after.costUsdc);
  return { entryId: entry.entryId, ...paid, costUsdc };
}

/**
 * Takes a payout out of the books, on the chain's proof that its transaction was not carried out
 * after all: the position is to be redeemed again. Once each; the next payout has a name of its own
 * (L4).
 */
export function takeBackPayout(
  tx: StoreWriter,
  userId: UserId,
  {
    payout: { entryId, tokenId, ...part },
    transactionHash,
    nowMs,
  }: {
    readonly payout: BookedPayout;
    readonly transactionHash: string | null;
    readonly nowMs: number;
  },
): void {
  const booked = tx.get(LEDGER_ENTRIES, [entryId])?.value;
  assert(booked !== undefined, `payout ${entryId} is booked before it is taken back`);
  if (!postToLedger(tx, userId, takenBackEntry(booked, nowMs), { transactionHash })) return;
  const position = tx.get(POSITIONS, [userId, tokenId])?.value;
  assert(position !== undefined, `payout ${entryId} has a position`);
  putPosition(tx, position, foldUnpaid(position, part), {
    atMs: nowMs,
    takesBackFromMs: booked.atMs,
  });
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

/** Reports whether a position has a payout in the books that was not taken back. */
export function isPaidOut(reader: StoreReader, position: PositionRecord): boolean {
  return keptPayouts(reader, position).length > 0;
}

/**
 * What a position's market paid for its shares in all: payouts that were not taken back, and fills
 * by which a venue redeems.
 */
export function paidForShares(reader: StoreReader, position: PositionRecord): UsdcMicros {
  const { userId, tokenId, cashAccount } = position;
  const payouts = keptPayouts(reader, position)
    .flatMap((entryId) => reader.get(LEDGER_ENTRIES, [entryId])?.value.postings ?? [])
    .filter(({ owner, asset }) => owner === userId && asset === cashAccount);
  const fills = standingFills(reader, userId, tokenId).filter(isForWholeDollars);
  return usdcMicros(
    payouts.reduce((sum, { micros }) => sum + micros, 0) +
      fills.reduce((sum, { usdc, fee }) => sum + usdc - fee, 0),
  );
}

function keptPayouts(reader: StoreReader, position: PositionRecord): readonly string[] {
  return payoutIds(reader, position).filter(
    (entryId) => reader.get(LEDGER_ENTRIES, [`taken_back:${entryId}`]) === null,
  );
}

/**
 * Names a payout by its market; one that follows a trade reported after the first payout, or a
 * payout that was taken back, carries a number.
 */
function payoutName(reader: StoreReader, position: PositionRecord): PositionRecord['marketId'] {
  const paid = payoutIds(reader, position).length;
  if (paid === PAYOUTS_MAXIMUM)
    throw new Error(`invariant broken: position in ${position.tokenId} was paid ${paid} times`);
  return numbered(position.marketId, paid + 1);
}

/** The ledger's names of a position's payouts (src/domain/ledger-entries.ts), in their order. */
function payoutIds(
  reader: StoreReader,
  { marketId, userId, tokenId }: PositionRecord,
): readonly string[] {
  const found: string[] = [];
  while (found.length < PAYOUTS_MAXIMUM) {
    const entryId = `payout:${numbered(marketId, found.length + 1)}:${userId}:${tokenId}`;
    if (reader.get(LEDGER_ENTRIES, [entryId]) === null) break;
    found.push(entryId);
  }
  return found;
}

function numbered(
  marketId: PositionRecord['marketId'],
  number: number,
): PositionRecord['marketId'] {
  return number === 1 ? marketId : asId(`${marketId}#${number}`);
}
