import type { CashAccount, Hold } from './cash.ts';
import { assert } from './errors.ts';
import type { FillRecord } from './fill.ts';
import type { MarketId, OrderId, TokenId, TradeId, UserId } from './ids.ts';
import type {
  LedgerAsset,
  LedgerBalance,
  LedgerColumn,
  LedgerEntry,
  LedgerOwner,
  Posting,
} from './ledger.ts';
import { mulDiv, TICKS_PER_USD, usdcMicros, type ShareMicros, type UsdcMicros } from './units.ts';

/** What names a fill in the ledger. */
interface FillRef {
  readonly orderId: OrderId;
  readonly tradeId: TradeId;
}

/** What names a hold in the ledger. */
export type HoldRef = Pick<Hold, 'purpose' | 'userId' | 'holdId'>;

/** A fill's money and shares, as its record states them. */
export type FillMoney = FillRef &
  Pick<
    FillRecord,
    'userId' | 'cashAccount' | 'tokenId' | 'side' | 'shares' | 'usdc' | 'fee' | 'feeShares'
  >;

/** What a resolved market pays one user for one token. */
export interface Payout {
  readonly userId: UserId;
  /** Where the money goes. */
  readonly cashAccount: CashAccount;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly shares: ShareMicros;
  readonly usdc: UsdcMicros;
  readonly atMs: number;
}

/** Money that entered or left by the user's own doing. */
export interface Transfer {
  readonly userId: UserId;
  readonly cashAccount: CashAccount;
  /** The outside world's name for it; the same id is booked once per user. */
  readonly transferId: string;
  readonly usdc: UsdcMicros;
  readonly atMs: number;
}

/** Books a deposit: final at once, from outside to the user. */
export function depositEntry({
  userId,
  cashAccount,
  transferId,
  usdc,
  atMs,
}: Transfer): LedgerEntry {
  assert(usdc > 0, `a deposit above zero, not ${usdc}`);
  return entry(
    'deposit',
    `deposit:${userId}:${transferId}`,
    atMs,
    move('outside', userId, cashAccount, usdc, 'settled'),
  );
}

/**
 * Books money the chain shows leaving by the owner's own hand, past us: final at once, from the
 * user to outside.
 */
export function departureEntry({
  userId,
  cashAccount,
  transferId,
  usdc,
  atMs,
}: Transfer): LedgerEntry {
  assert(usdc > 0, `a departure above zero, not ${usdc}`);
  return entry(
    'departure',
    `departure:${userId}:${transferId}`,
    atMs,
    move(userId, 'outside', cashAccount, usdc, 'settled'),
  );
}

/**
 * Sets money aside: provisionally from the user to outside, so that nothing else can spend it (L3).
 */
export function holdEntry(hold: Hold, atMs: number): LedgerEntry {
  return entry('hold', holdId(hold), atMs, holdPostings(hold));
}

/**
 * Makes a hold final, on proof that the money left: exactly its postings leave the provisional
 * column and enter the settled one.
 */
export function bookHoldEntry(hold: Hold, atMs: number): LedgerEntry {
  return entry('hold_booked', bookedHoldId(hold), atMs, settled(holdPostings(hold)));
}

/** Returns the name of the entry that sets a hold aside. */
export function holdId(hold: HoldRef): string {
  return `hold:${holdName(hold)}`;
}

/** Returns the name of the entry that makes a hold final. */
export function bookedHoldId(hold: HoldRef): string {
  return `hold_booked:${holdName(hold)}`;
}

/**
 * Books what a hold was for as left, where it was given back on proof that it never would, and the
 * chain took that proof back.
 */
export function heldLeftEntry(held: LedgerEntry, atMs: number): LedgerEntry {
  const postings = held.postings.map((posting): Posting => ({ ...posting, column: 'settled' }));
  return entry('departure', `departure:${held.entryId}`, atMs, postings);
}

/** Gives a hold back, on proof that the money never will leave. */
export function releaseHoldEntry(hold: Hold, atMs: number): LedgerEntry {
  const postings = holdPostings(hold).map(opposite);
  return entry('hold_released', `hold_released:${holdName(hold)}`, atMs, postings);
}

/**
 * Books a match provisionally (L3): a buy pays the venue and the fee box and takes shares, less a
 * fee in shares, a sell gives shares and takes the money less the fee.
 */
export function fillEntry(fill: FillMoney, atMs: number): LedgerEntry {
  return entry('fill', `fill:${nameOf(fill)}`, atMs, fillPostings(fill));
}

/**
 * Makes a booked fill final: exactly its postings leave the provisional column and enter the
 * settled one.
 */
export function settleEntry(fill: FillMoney, atMs: number): LedgerEntry {
  return entry('settle', `settle:${nameOf(fill)}`, atMs, settled(fillPostings(fill)));
}

/** Takes a booked fill back whose settlement failed: exactly the opposite of its postings. */
export function reverseEntry(fill: FillMoney, atMs: number): LedgerEntry {
  return entry('reverse', `reverse:${nameOf(fill)}`, atMs, fillPostings(fill).map(opposite));
}

/**
 * Takes back what an entry made final, since the chain took back the block that had it and shows
 * something else in its place: the opposite of its settled postings, under its name.
 */
export function takenBackEntry(booked: LedgerEntry, atMs: number): LedgerEntry {
  const postings = booked.postings.filter(({ column }) => column === 'settled').map(opposite);
  return entry('taken_back', `taken_back:${booked.entryId}`, atMs, postings);
}

/**
 * Books the end of settled shares: they go back to the venue, which pays for them, or nothing when
 * they lost.
 */
export function payoutEntry({
  userId,
  cashAccount,
  marketId,
  tokenId,
  shares,
  usdc,
  atMs,
}: Payout): LedgerEntry {
  assert(
    shares > 0 && usdc >= 0,
    `a payout of shares above zero and money not below, not ${shares} and ${usdc}`,
  );
  const postings = [
    ...move(userId, 'venue', tokenId, shares, 'settled'),
    ...move('venue', userId, cashAccount, usdc, 'settled'),
  ];
  return entry('payout', `payout:${marketId}:${userId}:${tokenId}`, atMs, postings);
}

/**
 * Books that settled shares left the Safe past this service: out of the books, for nothing.
 */
export function sharesGoneEntry({
  userId,
  marketId,
  tokenId,
  shares,
  atMs,
}: Omit<Payout, 'usdc' | 'cashAccount'>): LedgerEntry {
  assert(shares > 0, `shares above zero are gone, not ${shares}`);
  return entry(
    'shares_gone',
    `shares_gone:${marketId}:${userId}:${tokenId}`,
    atMs,
    move(userId, 'outside', tokenId, shares, 'settled'),
  );
}

/** Shares that entered or left a user's own wallet past this service. */
export interface ShareTransfer extends Omit<Payout, 'usdc' | 'cashAccount'> {
  /** The outside world's name for it; the same id is booked once per user and token. */
  readonly transferId: string;
}

/** Books shares the chain shows arriving: final at once, from outside to the user. */
export function sharesArrivedEntry(transfer: ShareTransfer): LedgerEntry {
  const { userId, tokenId, shares, transferId, atMs } = transfer;
  assert(shares > 0, `shares above zero arrive, not ${shares}`);
  return entry(
    'shares_arrived',
    `shares_arrived:${userId}:${tokenId}:${transferId}`,
    atMs,
    move('outside', userId, tokenId, shares, 'settled'),
  );
}

/** Books shares the chain shows leaving by the owner's own hand, one transaction's. */
export function sharesLeftEntry(transfer: ShareTransfer): LedgerEntry {
  const { userId, tokenId, shares, transferId, atMs } = transfer;
  assert(shares > 0, `shares above zero leave, not ${shares}`);
  return entry(
    'shares_gone',
    `shares_left:${userId}:${tokenId}:${transferId}`,
    atMs,
    move(userId, 'outside', tokenId, shares, 'settled'),
  );
}

/**
 * Takes what an account holds out of the books, of a user whom another shard has since a split;
 * null where it holds nothing.
 */
export function movedEntry({
  userId,
  asset,
  balance: { provisional, settled: final },
  atMs,
}: {
  readonly userId: UserId;
  readonly asset: LedgerAsset;
  readonly balance: LedgerBalance;
  readonly atMs: number;
}): LedgerEntry | null {
  const postings = [
    ...move(userId, 'outside', asset, provisional, 'provisional'),
    ...move(userId, 'outside', asset, final, 'settled'),
  ];
  return postings.length === 0 ? null : entry('moved', `moved:${userId}:${asset}`, atMs, postings);
}

/**
 * USDC for `shares` of an outcome that pays `payoutTicks` (0 to 10 000) of 0.0001 a share, rounded
 * down to whole micros: what is below one micro stays with the venue. An even market pays 5 000 for
 * both outcomes.
 */
export function payoutMicros(shares: ShareMicros, payoutTicks: number): UsdcMicros {
  const isPayout =
    Number.isInteger(payoutTicks) && payoutTicks >= 0 && payoutTicks <= TICKS_PER_USD;
  assert(isPayout, `a payout from 0 to ${TICKS_PER_USD} ticks, not ${payoutTicks}`);
  return usdcMicros(mulDiv(shares, payoutTicks, TICKS_PER_USD, 'floor'));
}

function fillPostings(fill: FillMoney): readonly Posting[] {
  const { userId, cashAccount, tokenId, side, shares, usdc, fee, feeShares = 0 } = fill;
  assert(
    shares > 0 && usdc >= 0 && fee >= 0 && feeShares >= 0,
    `a fill of shares above zero, not ${shares} for ${usdc} and ${fee}`,
  );
  const [payer, taker]: readonly [LedgerOwner, LedgerOwner] =
    side === 'buy' ? [userId, 'venue'] : ['venue', userId];
  return [
    ...move(payer, taker, cashAccount, usdc, 'provisional'),
    ...move(userId, 'fees', cashAccount, fee, 'provisional'),
    ...move(taker, payer, tokenId, shares, 'provisional'),
    ...move(userId, 'fees', tokenId, feeShares, 'provisional'),
  ];
}

/**
 * Two postings that carry `micros` from one owner to another; none when there is nothing to carry.
 */
function move(
  from: LedgerOwner,
  to: LedgerOwner,
  asset: LedgerAsset,
  micros: number,
  column: LedgerColumn,
): readonly Posting[] {
  if (micros === 0) return [];
  return [
    { owner: from, asset, column, micros: -micros },
    { owner: to, asset, column, micros },
  ];
}

/** The same postings out of the provisional column and into the settled one. */
function settled(postings: readonly Posting[]): readonly Posting[] {
  return postings.flatMap((posting): Posting[] => [
    opposite(posting),
    { ...posting, column: 'settled' },
  ]);
}

function opposite(posting: Posting): Posting {
  return { ...posting, micros: -posting.micros };
}

function holdPostings({ userId, cashAccount, usdc }: Hold): readonly Posting[] {
  assert(usdc > 0, `a hold above zero, not ${usdc}`);
  return move(userId, 'outside', cashAccount, usdc, 'provisional');
}

function holdName({ purpose, userId, holdId }: HoldRef): string {
  return `${purpose}:${userId}:${holdId}`;
}

function nameOf({ orderId, tradeId }: FillRef): string {
  return `${orderId}:${tradeId}`;
}

function entry(
  kind: LedgerEntry['kind'],
  entryId: string,
  atMs: number,
  postings: readonly Posting[],
): LedgerEntry {
  return { entryId, kind, atMs, postings };
}
