import { AppError, assert } from './errors.ts';
import type { ErrorDetails } from './errors.ts';
import type { FillRecord } from './fill.ts';
import type { TokenId } from './ids.ts';
import type { FeeSchedule } from './market.ts';
import type { OrderIntent, OrderRecord, Reservation } from './order.ts';
import { isTerminal } from './order.ts';
import type { PositionRecord } from './position.ts';
import type { ShareMicros, UsdcMicros } from './units.ts';
import { formatMicros, mulDiv, shareMicros, usdcMicros } from './units.ts';

const DAY_MS = 86_400_000;
/** The smallest share amount the venue lets one sell: 0.01 (venue_a.md section 5.2). */
const DUST_SHARE_MICROS = 10_000;
/** Each leg's fee is rounded half up to 10 micros and its money down to one: 6 micros a leg at most, for 160 legs (venue_a.md section 5.3). */
const FEE_ROUNDING_MICROS = 1_000;

/** What one outcome token ties up. */
export interface TokenRisk {
  /** Buys that are not terminal. */
  readonly openBuys: number;
  readonly reservedUsdc: number;
  readonly reservedShares: number;
  /** Shares sold in fills that are not final. */
  readonly outgoingShares: number;
  /** Shares held, provisional ones included. */
  readonly heldShares: number;
  /** What shares held, and those sold in fills that are not final, have cost. */
  readonly costUsdc: number;
}

/**
 * What a user has at risk (L5): the sum of what their open orders set aside, their fills not yet final take out, and
 * their positions hold. Each part follows its record, so the whole can be derived anew at any time. Tokens that tie up
 * nothing are left out.
 */
export interface RiskState {
  readonly tokens: Readonly<Record<string, TokenRisk>>;
  /** USDC on its way out: paid in fills that are not final, and held for withdrawals. */
  readonly outgoingUsdc: number;
  /** The UTC day, counted from 1970, of `realisedUsdc`. */
  readonly day: number;
  /** Profit, or loss below zero, realised on that day. */
  readonly realisedUsdc: number;
}

/** Caps an order is held to; an absent one does not bind. */
export interface RiskCaps {
  /** Most USDC one order may set aside, fee included. */
  readonly orderUsdc?: UsdcMicros;
  /** Most USDC in positions (at cost) and open buys together. */
  readonly exposureUsdc?: UsdcMicros;
  /** Most tokens held, being bought, or sold in fills that are not final. */
  readonly openPositions?: number;
  /** Most that may be lost in one UTC day, should every position and open buy become worthless. */
  readonly dailyLossUsdc?: UsdcMicros;
}

/** Caps over a part of what a user has at risk, such as what one agent has. */
export interface PartCaps {
  /** Whose part, for people: "agent btc_5min". */
  readonly whose: string;
  readonly state: RiskState;
  readonly caps: RiskCaps;
}

/** An order that asks to be let through. */
export interface RiskRequest {
  readonly order: Pick<OrderIntent, 'side' | 'tokenId' | 'makerMicros'>;
  readonly fee: FeeSchedule | null;
  /** Final balances of the ledger. */
  readonly settledUsdc: number;
  readonly settledShares: number;
  /** Over all that the user has at risk. */
  readonly caps: RiskCaps;
  /** Over the part the order belongs to, held beside the others; absent where there is none. */
  readonly part?: PartCaps;
  readonly atMs: number;
}

/** Nothing at risk. */
export const NO_RISK: RiskState = { tokens: {}, outgoingUsdc: 0, day: 0, realisedUsdc: 0 };

const NO_TOKEN_RISK: TokenRisk = { openBuys: 0, reservedUsdc: 0, reservedShares: 0, outgoingShares: 0, heldShares: 0, costUsdc: 0 };

/**
 * Says what to set aside for an order, or why it may not be made: `insufficient_funds`, `insufficient_shares`,
 * `cap_exceeded`. A buy sets aside its money and the largest fee it can meet, a sell its shares; caps bind buys, which
 * are what adds risk. Store the order with this reservation and `withOrder` in the same transaction.
 */
export function reserveFor(state: RiskState, request: RiskRequest): Reservation {
  const { order, settledUsdc, settledShares } = request;
  if (order.side === 'sell') {
    const available = availableShares(state, order.tokenId, settledShares);
    if (order.makerMicros > available) {
      throw new AppError('insufficient_shares', `${amount(order.makerMicros)} shares wanted, ${amount(available)} available`, lessOf(`at most ${amount(available)} shares`));
    }
    return { usdc: usdcMicros(0), shares: shareMicros(order.makerMicros) };
  }
  const usdc = order.makerMicros + worstBuyFee(order.makerMicros, request.fee);
  assertWithinCaps({ whose: 'all', state, caps: request.caps }, request, usdc);
  if (request.part !== undefined) assertWithinCaps(request.part, request, usdc);
  const available = availableUsdc(state, settledUsdc);
  if (usdc > available) {
    throw new AppError('insufficient_funds', `${amount(usdc)} USDC wanted, fee included, ${amount(available)} available`, lessOf(`at most ${amount(available)} USDC, fee included`));
  }
  return { usdc: usdcMicros(usdc), shares: shareMicros(0) };
}

/** USDC that may be spent: final, less what fills not yet final take out and open buys set aside. Never below zero. */
export function availableUsdc(state: RiskState, settledUsdc: number): UsdcMicros {
  return usdcMicros(Math.max(0, settledUsdc - state.outgoingUsdc - reservedUsdc(state)));
}

/** Shares that may be sold: final ones, less those on their way out and set aside. Never below zero. */
export function availableShares(state: RiskState, tokenId: TokenId, settledShares: number): ShareMicros {
  const { reservedShares, outgoingShares } = tokenRisk(state, tokenId);
  return shareMicros(Math.max(0, settledShares - outgoingShares - reservedShares));
}

/** USDC that open buys set aside. */
export function reservedUsdc(state: RiskState): UsdcMicros {
  return usdcMicros(Object.values(state.tokens).reduce((total, token) => total + token.reservedUsdc, 0));
}

/** USDC at risk: open buys, positions at cost, and the cost of what was sold in fills that are not final. */
export function exposureUsdc(state: RiskState): UsdcMicros {
  return usdcMicros(Object.values(state.tokens).reduce((total, token) => total + token.reservedUsdc + token.costUsdc, 0));
}

/** Tokens held, being bought, or sold in fills that are not final. */
export function openPositionCount(state: RiskState): number {
  return Object.values(state.tokens).filter(isOpenPosition).length;
}

/**
 * Follows an order from one record to the next, null before its first. What it set aside is given back on proof only: to
 * its fills, and when it is terminal. Anything else is a programmer's error.
 */
export function withOrder(state: RiskState, before: OrderRecord | null, after: OrderRecord): RiskState {
  if (before !== null) assertReleasedOnProof(before, after);
  const had = before === null ? NO_TOKEN_RISK : orderRisk(before);
  return withToken(state, after.intent.tokenId, had, orderRisk(after));
}

/** Follows a fill from one record to the next, null before its first: until final, what it takes out is not to be spent again. */
export function withFill(state: RiskState, before: FillRecord | null, after: FillRecord): RiskState {
  const had = before === null ? NO_TOKEN_RISK : fillRisk(before);
  const outgoing = outgoingUsdc(after) - (before === null ? 0 : outgoingUsdc(before));
  return { ...withToken(state, after.tokenId, had, fillRisk(after)), outgoingUsdc: state.outgoingUsdc + outgoing };
}

/** A change of a position, null where there is none. */
export interface PositionChange {
  readonly before: PositionRecord | null;
  readonly after: PositionRecord | null;
  readonly atMs: number;
  /** Set where something booked earlier is taken back, to the moment it was booked. */
  readonly takesBackFromMs?: number;
}

/**
 * Follows a position. What it realised counts for the UTC day it is booked on, however late that is: until then the whole
 * cost counted as at risk, on every day. Taking back what an earlier day has booked may add to today's loss, and never
 * makes room for more of it.
 */
export function withPosition(state: RiskState, { before, after, atMs, takesBackFromMs = atMs }: PositionChange): RiskState {
  const tokenId = (after ?? before)?.tokenId;
  if (tokenId === undefined) return state;
  const moved = withToken(state, tokenId, positionRisk(before), positionRisk(after));
  const day = Math.max(state.day, utcDay(atMs));
  const change = (after?.realisedPnl ?? 0) - (before?.realisedPnl ?? 0);
  const realised = utcDay(takesBackFromMs) === day ? change : Math.min(0, change);
  return { ...moved, day, realisedUsdc: (day === state.day ? state.realisedUsdc : 0) + realised };
}

/** Takes a position up that was there before: its cost counts from now on, what it realised earlier does not. */
export function withHeld(state: RiskState, position: PositionRecord): RiskState {
  return withToken(state, position.tokenId, NO_TOKEN_RISK, positionRisk(position));
}

/** What the UTC day of `atMs` has lost so far, profits set against losses. Never below zero. */
export function lostUsdc(state: RiskState, atMs: number): UsdcMicros {
  // A tally of a later day than the order's: midnight has passed since the order was drafted, and the new day binds it.
  return usdcMicros(state.day >= utcDay(atMs) ? Math.max(0, -state.realisedUsdc) : 0);
}

/** For each cap the tightest of all that are given. */
export function tightestCaps(...all: readonly RiskCaps[]): RiskCaps {
  const money = (name: 'orderUsdc' | 'exposureUsdc' | 'dailyLossUsdc') => {
    const given = all.flatMap((caps) => caps[name] ?? []);
    return given.length === 0 ? {} : { [name]: usdcMicros(Math.min(...given)) };
  };
  const positions = all.flatMap(({ openPositions }) => openPositions ?? []);
  return { ...money('orderUsdc'), ...money('exposureUsdc'), ...money('dailyLossUsdc'), ...(positions.length === 0 ? {} : { openPositions: Math.min(...positions) }) };
}

/** Follows what is held for a withdrawal: `heldMicros` above zero when it is intended, below when it has ended either way. */
export function withWithdrawal(state: RiskState, heldMicros: number): RiskState {
  const outgoingUsdc = state.outgoingUsdc + heldMicros;
  assert(outgoingUsdc >= 0, 'a withdrawal is given back once');
  return { ...state, outgoingUsdc };
}

/** Derives a user's risk from the records it follows; the day's profit has no record of its own and is carried over. */
export function deriveRisk(records: {
  readonly orders: Iterable<OrderRecord>;
  readonly fills: Iterable<FillRecord>;
  readonly positions: Iterable<PositionRecord>;
  /** USDC held for each withdrawal that has not ended. */
  readonly withdrawals: Iterable<number>;
  readonly today: Pick<RiskState, 'day' | 'realisedUsdc'>;
}): RiskState {
  let state: RiskState = NO_RISK;
  for (const order of records.orders) state = withOrder(state, null, order);
  for (const fill of records.fills) state = withFill(state, null, fill);
  for (const heldMicros of records.withdrawals) state = withWithdrawal(state, heldMicros);
  for (const position of records.positions) state = withHeld(state, position);
  return { ...state, day: records.today.day, realisedUsdc: records.today.realisedUsdc };
}

/**
 * The largest taker fee that spending `usdcMicros` can meet at any price. A dollar spent at price p pays
 * rate × (1 − p)^e × p^(e−1): at most the rate for e = 1, and 4/27 of it, at p = 1/3, for e = 2.
 */
export function worstBuyFee(spentMicros: number, schedule: FeeSchedule | null): UsdcMicros {
  if (schedule === null || schedule.rateMicros === 0) return usdcMicros(0);
  assert(schedule.exponent >= 1, `a fee exponent from 1, not ${schedule.exponent}`);
  const [part, whole] = schedule.exponent === 2 ? [4, 27] : [1, 1];
  return usdcMicros(mulDiv(spentMicros, schedule.rateMicros * part, 1_000_000 * whole, 'ceil') + FEE_ROUNDING_MICROS);
}

function assertWithinCaps({ whose, state, caps }: PartCaps, { order, atMs }: RiskRequest, usdc: number): void {
  const of = whose === 'all' ? '' : ` of ${whose}`;
  const exposure = exposureUsdc(state) + usdc;
  const positions = openPositionCount(state) + (isOpenPosition(tokenRisk(state, order.tokenId)) ? 0 : 1);
  assertCap(`the order${of}`, usdc, caps.orderUsdc);
  assertCap(`open positions and orders${of}`, exposure, caps.exposureUsdc);
  assertCap(`the day's losses and all that is at risk${of}`, lostUsdc(state, atMs) + exposure, caps.dailyLossUsdc);
  if (caps.openPositions !== undefined && positions > caps.openPositions) {
    throw new AppError('cap_exceeded', `${positions} open positions${of} would exceed the cap of ${caps.openPositions}`, { fields: [{ path: '/marketId', message: 'only one of those held' }] });
  }
}

function assertCap(what: string, micros: number, cap: UsdcMicros | undefined): void {
  if (cap === undefined || micros <= cap) return;
  throw new AppError('cap_exceeded', `${what} would come to ${amount(micros)} USDC, the cap is ${amount(cap)}`, lessOf(`${what} may come to ${amount(cap)} USDC`));
}

/** Points at the amount of an order: less of it would be taken. */
function lessOf(message: string): Pick<ErrorDetails, 'fields'> {
  return { fields: [{ path: '/amount', message }] };
}

function assertReleasedOnProof(before: OrderRecord, after: OrderRecord): void {
  const { intentId, side } = after.intent;
  assert(before.intent.intentId === intentId, `records of one order, ${intentId}`);
  const [had, has] = side === 'buy' ? [before.reserved.usdc, after.reserved.usdc] : [before.reserved.shares, after.reserved.shares];
  assert(has <= had, `order ${intentId} never sets more aside`);
  const filledUsdc = after.filledUsdc + after.feesUsdc - before.filledUsdc - before.feesUsdc;
  const filled = side === 'buy' ? filledUsdc : after.filledShares - before.filledShares;
  assert(isTerminal(after.state) || had - has <= filled, `order ${intentId} gives back only what was filled before it ends`);
}

function orderRisk({ intent, state, reserved }: OrderRecord): TokenRisk {
  if (isTerminal(state)) {
    assert(reserved.usdc === 0 && reserved.shares === 0, `order ${intent.intentId} sets nothing aside once it has ended`);
    return NO_TOKEN_RISK;
  }
  return { ...NO_TOKEN_RISK, openBuys: intent.side === 'buy' ? 1 : 0, reservedUsdc: reserved.usdc, reservedShares: reserved.shares };
}

/** A match is no proof: what a sale gave away stays at risk until it has settled. */
function fillRisk({ settlement, side, shares, releasedUsdc = usdcMicros(0) }: FillRecord): TokenRisk {
  return settlement === 'provisional' && side === 'sell' ? { ...NO_TOKEN_RISK, outgoingShares: shares, costUsdc: releasedUsdc } : NO_TOKEN_RISK;
}

/** A sale whose fee is above its proceeds takes money out as well. */
function outgoingUsdc({ settlement, side, usdc, fee }: FillRecord): number {
  if (settlement !== 'provisional') return 0;
  return side === 'buy' ? usdc + fee : Math.max(0, fee - usdc);
}

function positionRisk(position: PositionRecord | null): TokenRisk {
  return position === null ? NO_TOKEN_RISK : { ...NO_TOKEN_RISK, heldShares: position.shares, costUsdc: position.costUsdc };
}

function withToken(state: RiskState, tokenId: TokenId, had: TokenRisk, has: TokenRisk): RiskState {
  const token = tokenRisk(state, tokenId);
  const next: TokenRisk = {
    openBuys: token.openBuys - had.openBuys + has.openBuys,
    reservedUsdc: token.reservedUsdc - had.reservedUsdc + has.reservedUsdc,
    reservedShares: token.reservedShares - had.reservedShares + has.reservedShares,
    outgoingShares: token.outgoingShares - had.outgoingShares + has.outgoingShares,
    heldShares: token.heldShares - had.heldShares + has.heldShares,
    costUsdc: token.costUsdc - had.costUsdc + has.costUsdc,
  };
  const isSound = next.openBuys >= 0 && next.reservedUsdc >= 0 && next.reservedShares >= 0 && next.outgoingShares >= 0;
  assert(isSound, `what token ${tokenId} ties up follows its records`);
  const { [tokenId]: _old, ...others } = state.tokens;
  const isEmpty = Object.values(next).every((micros) => micros === 0);
  return { ...state, tokens: isEmpty ? others : { ...others, [tokenId]: next } };
}

function tokenRisk(state: RiskState, tokenId: TokenId): TokenRisk {
  return state.tokens[tokenId] ?? NO_TOKEN_RISK;
}

/** What is too little to be sold is no position: a sale of all leaves it behind until the market pays. */
function isOpenPosition({ openBuys, heldShares, outgoingShares }: TokenRisk): boolean {
  return openBuys > 0 || Math.abs(heldShares) + outgoingShares >= DUST_SHARE_MICROS;
}

function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

function amount(micros: number): string {
  return formatMicros(usdcMicros(micros));
}
