import type { CashAccount, Hold } from './cash.ts';
import { assert } from './errors.ts';
import type { FillRecord } from './fill.ts';
import type { TokenId } from './ids.ts';
import { isTerminal, type OrderRecord } from './order.ts';
import type { PositionRecord } from './position.ts';
import { shareMicros, usdcMicros, type ShareMicros, type UsdcMicros } from './units.ts';

const DAY_MS = 86_400_000;
/** The smallest share amount the venue lets one sell: 0.01 (venue_a.md section 5.2). */
const DUST_SHARE_MICROS = 10_000;

/** What one outcome token ties up. */
interface TokenRisk {
  /** Buys that are not terminal. */
  readonly openBuys: number;
  readonly reservedShares: number;
  /** Shares sold in fills that are not final. */
  readonly outgoingShares: number;
  /** Shares held, provisional ones included. */
  readonly heldShares: number;
  /** What shares held, and those sold in fills that are not final, have cost. */
  readonly costUsdc: number;
}

/** What one cash account has to answer for. */
export interface CashRisk {
  /** Set aside by open buys. */
  readonly reservedUsdc: number;
  /** On its way out: paid in fills that are not final, and held (`Hold`). */
  readonly outgoingUsdc: number;
}

/**
 * What a user has at risk (L5): the sum of what their open orders set aside, their fills not yet
 * final take out, and their positions hold. Each part follows its record, so the whole can be
 * derived anew at any time. Tokens and accounts that tie up nothing are left out.
 */
export interface RiskState {
  readonly tokens: Readonly<Record<string, TokenRisk>>;
  readonly cash: Readonly<Partial<Record<CashAccount, CashRisk>>>;
  /** The UTC day, counted from 1970, of `realisedUsdc`. */
  readonly day: number;
  /** Profit, or loss below zero, realised on that day. */
  readonly realisedUsdc: number;
}

/** Nothing at risk. */
export const NO_RISK: RiskState = { tokens: {}, cash: {}, day: 0, realisedUsdc: 0 };

const NO_TOKEN_RISK: TokenRisk = {
  openBuys: 0,
  reservedShares: 0,
  outgoingShares: 0,
  heldShares: 0,
  costUsdc: 0,
};

const NO_CASH_RISK: CashRisk = { reservedUsdc: 0, outgoingUsdc: 0 };

/** What an account has to answer for. */
export function cashRisk(state: RiskState, account: CashAccount): CashRisk {
  return state.cash[account] ?? NO_CASH_RISK;
}

/**
 * USDC of an account that may be spent: final, less what is on its way out and what open buys set
 * aside. Never below zero.
 */
export function availableUsdc(
  state: RiskState,
  account: CashAccount,
  settledUsdc: number,
): UsdcMicros {
  const { reservedUsdc, outgoingUsdc } = cashRisk(state, account);
  return usdcMicros(Math.max(0, settledUsdc - outgoingUsdc - reservedUsdc));
}

/**
 * Shares that may be sold: final ones, less those on their way out and set aside. Never below zero.
 */
export function availableShares(
  state: RiskState,
  tokenId: TokenId,
  settledShares: number,
): ShareMicros {
  const { reservedShares, outgoingShares } = tokenRisk(state, tokenId);
  return shareMicros(Math.max(0, settledShares - outgoingShares - reservedShares));
}

/**
 * USDC at risk, whichever account pays: open buys, positions at cost, and the cost of what was sold
 * in fills that are not final.
 */
export function exposureUsdc(state: RiskState): UsdcMicros {
  const reserved = Object.values(state.cash).reduce(
    (sum, { reservedUsdc }) => sum + reservedUsdc,
    0,
  );
  return usdcMicros(
    Object.values(state.tokens).reduce((sum, { costUsdc }) => sum + costUsdc, reserved),
  );
}

/** Tokens held, being bought, or sold in fills that are not final. */
export function openPositionCount(state: RiskState): number {
  return Object.values(state.tokens).filter(isOpen).length;
}

/** True of a token held, being bought, or sold in fills that are not final. */
export function isOpenPosition(state: RiskState, tokenId: TokenId): boolean {
  return isOpen(tokenRisk(state, tokenId));
}

/**
 * Follows an order from one record to the next, null before its first. What it set aside is given
 * back on proof only: to its fills, and when it is terminal. Anything else is a programmer's error.
 */
export function withOrder(
  state: RiskState,
  before: OrderRecord | null,
  after: OrderRecord,
): RiskState {
  if (before !== null) assertReleasedOnProof(before, after);
  const had = before === null ? NO_TOKEN_RISK : orderRisk(before);
  const { tokenId, cashAccount } = after.intent;
  return withCash(withToken(state, tokenId, had, orderRisk(after)), cashAccount, {
    reservedUsdc: after.reserved.usdc - (before?.reserved.usdc ?? 0),
  });
}

/**
 * Follows a fill from one record to the next, null before its first: until final, what it takes out
 * is not to be spent again.
 */
export function withFill(
  state: RiskState,
  before: FillRecord | null,
  after: FillRecord,
): RiskState {
  const had = before === null ? NO_TOKEN_RISK : fillRisk(before);
  return withCash(withToken(state, after.tokenId, had, fillRisk(after)), after.cashAccount, {
    outgoingUsdc: outgoingUsdc(after) - (before === null ? 0 : outgoingUsdc(before)),
  });
}

/** A change of a position, null without one. */
export interface PositionChange {
  readonly before: PositionRecord | null;
  readonly after: PositionRecord | null;
  readonly atMs: number;
  /** Set where something booked earlier is taken back, to the moment it was booked. */
  readonly takesBackFromMs?: number;
}

/**
 * Follows a position. What it realised counts for the UTC day it is booked on, however late that
 * is: until then the whole cost counted as at risk, on every day. Taking back what an earlier day
 * has booked may add to today's loss, and never makes room for more of it.
 */
export function withPosition(
  state: RiskState,
  { before, after, atMs, takesBackFromMs = atMs }: PositionChange,
): RiskState {
  const tokenId = (after ?? before)?.tokenId;
  if (tokenId === undefined) return state;
  const moved = withToken(state, tokenId, positionRisk(before), positionRisk(after));
  const day = Math.max(state.day, utcDay(atMs));
  const change = (after?.realizedPnl ?? 0) - (before?.realizedPnl ?? 0);
  const realised = utcDay(takesBackFromMs) === day ? change : Math.min(0, change);
  return { ...moved, day, realisedUsdc: (day === state.day ? state.realisedUsdc : 0) + realised };
}

/**
 * Takes a position up that was there before: its cost counts from now on, what it realised earlier
 * does not.
 */
export function withHeld(state: RiskState, position: PositionRecord): RiskState {
  return withToken(state, position.tokenId, NO_TOKEN_RISK, positionRisk(position));
}

/** What the UTC day of `atMs` has lost so far, profits set against losses. Never below zero. */
export function lostUsdc(state: RiskState, atMs: number): UsdcMicros {
  // A tally of a later day than the order's: midnight has passed since the order was drafted, and
  // the new day binds it.
  return usdcMicros(state.day >= utcDay(atMs) ? Math.max(0, -state.realisedUsdc) : 0);
}

/** What the UTC day of `atMs` has brought so far, below zero for a loss. */
export function realizedOn(state: RiskState, atMs: number): UsdcMicros {
  return usdcMicros(state.day === utcDay(atMs) ? state.realisedUsdc : 0);
}

/** Follows a hold: it is on its way out while it is open. */
export function withHold(
  state: RiskState,
  { cashAccount, usdc }: Pick<Hold, 'cashAccount' | 'usdc'>,
  step: 'opened' | 'ended',
): RiskState {
  return withCash(state, cashAccount, { outgoingUsdc: step === 'opened' ? usdc : -usdc });
}

/**
 * Derives a user's risk from the records it follows; the day's profit has no record of its own and
 * is carried over.
 */
export function deriveRisk(records: {
  readonly orders: Iterable<OrderRecord>;
  readonly fills: Iterable<FillRecord>;
  readonly positions: Iterable<PositionRecord>;
  /** Those that have not ended. */
  readonly holds: Iterable<Hold>;
  readonly today: Pick<RiskState, 'day' | 'realisedUsdc'>;
}): RiskState {
  let state: RiskState = NO_RISK;
  for (const order of records.orders) state = withOrder(state, null, order);
  for (const fill of records.fills) state = withFill(state, null, fill);
  for (const hold of records.holds) state = withHold(state, hold, 'opened');
  for (const position of records.positions) state = withHeld(state, position);
  return { ...state, day: records.today.day, realisedUsdc: records.today.realisedUsdc };
}

function assertReleasedOnProof(before: OrderRecord, after: OrderRecord): void {
  const { intentId, side } = after.intent;
  assert(before.intent.intentId === intentId, `records of one order, ${intentId}`);
  const [had, has] =
    side === 'buy'
      ? [before.reserved.usdc, after.reserved.usdc]
      : [before.reserved.shares, after.reserved.shares];
  assert(has <= had, `order ${intentId} never sets more aside`);
  const filledUsdc = after.filledUsdc + after.feesUsdc - before.filledUsdc - before.feesUsdc;
  const filled = side === 'buy' ? filledUsdc : after.filledShares - before.filledShares;
  assert(
    isTerminal(after.state) || had - has <= filled,
    `order ${intentId} gives back only what was filled before it ends`,
  );
}

function orderRisk({ intent, state, reserved }: OrderRecord): TokenRisk {
  if (isTerminal(state)) {
    assert(
      reserved.usdc === 0 && reserved.shares === 0,
      `order ${intent.intentId} sets nothing aside once it has ended`,
    );
    return NO_TOKEN_RISK;
  }
  return {
    ...NO_TOKEN_RISK,
    openBuys: intent.side === 'buy' ? 1 : 0,
    reservedShares: reserved.shares,
  };
}

/** A match is no proof: what a sale gave away stays at risk until it has settled. */
function fillRisk({
  settlement,
  side,
  shares,
  releasedUsdc = usdcMicros(0),
}: FillRecord): TokenRisk {
  return settlement === 'provisional' && side === 'sell'
    ? { ...NO_TOKEN_RISK, outgoingShares: shares, costUsdc: releasedUsdc }
    : NO_TOKEN_RISK;
}

/** A sale whose fee is above its proceeds takes money out as well. */
function outgoingUsdc({ settlement, side, usdc, fee }: FillRecord): number {
  if (settlement !== 'provisional') return 0;
  return side === 'buy' ? usdc + fee : Math.max(0, fee - usdc);
}

function positionRisk(position: PositionRecord | null): TokenRisk {
  return position === null
    ? NO_TOKEN_RISK
    : { ...NO_TOKEN_RISK, heldShares: position.shares, costUsdc: position.costUsdc };
}

function withToken(state: RiskState, tokenId: TokenId, had: TokenRisk, has: TokenRisk): RiskState {
  const token = tokenRisk(state, tokenId);
  const next: TokenRisk = {
    openBuys: token.openBuys - had.openBuys + has.openBuys,
    reservedShares: token.reservedShares - had.reservedShares + has.reservedShares,
    outgoingShares: token.outgoingShares - had.outgoingShares + has.outgoingShares,
    heldShares: token.heldShares - had.heldShares + has.heldShares,
    costUsdc: token.costUsdc - had.costUsdc + has.costUsdc,
  };
  const isSound = next.openBuys >= 0 && next.reservedShares >= 0 && next.outgoingShares >= 0;
  assert(isSound, `what token ${tokenId} ties up follows its records`);
  const { [tokenId]: _old, ...others } = state.tokens;
  const isEmpty = Object.values(next).every((micros) => micros === 0);
  return { ...state, tokens: isEmpty ? others : { ...others, [tokenId]: next } };
}

function withCash(
  state: RiskState,
  account: CashAccount,
  { reservedUsdc = 0, outgoingUsdc = 0 }: Partial<CashRisk>,
): RiskState {
  if (reservedUsdc === 0 && outgoingUsdc === 0) return state;
  const had = cashRisk(state, account);
  const next: CashRisk = {
    reservedUsdc: had.reservedUsdc + reservedUsdc,
    outgoingUsdc: had.outgoingUsdc + outgoingUsdc,
  };
  assert(
    next.reservedUsdc >= 0 && next.outgoingUsdc >= 0,
    `what ${account} has to answer for follows its records`,
  );
  const { [account]: _old, ...others } = state.cash;
  const isEmpty = next.reservedUsdc === 0 && next.outgoingUsdc === 0;
  return { ...state, cash: isEmpty ? others : { ...others, [account]: next } };
}

function tokenRisk(state: RiskState, tokenId: TokenId): TokenRisk {
  return state.tokens[tokenId] ?? NO_TOKEN_RISK;
}

/**
 * What is too little to be sold is no position: a sale of all leaves it behind until the market
 * pays.
 */
function isOpen({ openBuys, heldShares, outgoingShares }: TokenRisk): boolean {
  return openBuys > 0 || Math.abs(heldShares) + outgoingShares >= DUST_SHARE_MICROS;
}

function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}
