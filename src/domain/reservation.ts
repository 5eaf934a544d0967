import { AppError } from './errors.ts';
import type { ErrorDetails } from './errors.ts';
import type { OrderIntent, Reservation } from './order.ts';
import type { RiskState } from './risk.ts';
import {
  availableShares,
  availableUsdc,
  exposureUsdc,
  isOpenPosition,
  lostUsdc,
  openPositionCount,
} from './risk.ts';
import type { UsdcMicros } from './units.ts';
import { formatMicros, shareMicros, usdcMicros } from './units.ts';

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
  readonly order: Pick<OrderIntent, 'side' | 'cashAccount' | 'tokenId' | 'spendMicros'>;
  /** The largest fee a buy can meet. */
  readonly worstFee: UsdcMicros;
  /** Final balances of the ledger: of the order's cash account, and of its token. */
  readonly settledUsdc: number;
  readonly settledShares: number;
  /** Over all that the user has at risk. */
  readonly caps: RiskCaps;
  /** Over the part the order belongs to, held beside the others; absent where there is none. */
  readonly part?: PartCaps;
  readonly atMs: number;
}

/**
 * Says what to set aside for an order, or why it may not be made: `insufficient_funds`, `insufficient_shares`,
 * `cap_exceeded`. A buy sets aside its account's money and the largest fee it can meet, a sell its shares; caps bind
 * buys, which are what adds risk, over all accounts together. Store the order with this reservation and `withOrder` in
 * the same transaction.
 */
export function reserveFor(state: RiskState, request: RiskRequest): Reservation {
  const { order, settledUsdc, settledShares } = request;
  if (order.side === 'sell') {
    const available = availableShares(state, order.tokenId, settledShares);
    if (order.spendMicros > available) {
      throw new AppError(
        'insufficient_shares',
        `${amount(order.spendMicros)} shares wanted, ${amount(available)} available: shares whose trade is not final yet, or that other sales hold, cannot be sold now`,
        lessOf(`at most ${amount(available)} shares`),
      );
    }
    return { usdc: usdcMicros(0), shares: shareMicros(order.spendMicros) };
  }
  const usdc = order.spendMicros + request.worstFee;
  assertWithinCaps({ whose: 'all', state, caps: request.caps }, request, usdc);
  if (request.part !== undefined) assertWithinCaps(request.part, request, usdc);
  const available = availableUsdc(state, order.cashAccount, settledUsdc);
  if (usdc > available) {
    throw new AppError(
      'insufficient_funds',
      `${amount(usdc)} USDC wanted, fee included, ${amount(available)} available`,
      lessOf(`at most ${amount(available)} USDC, fee included`),
    );
  }
  return { usdc: usdcMicros(usdc), shares: shareMicros(0) };
}

/** For each cap the tightest of all that are given. */
export function tightestCaps(...all: readonly RiskCaps[]): RiskCaps {
  const money = (name: 'orderUsdc' | 'exposureUsdc' | 'dailyLossUsdc') => {
    const given = all.flatMap((caps) => caps[name] ?? []);
    return given.length === 0 ? {} : { [name]: usdcMicros(Math.min(...given)) };
  };
  const positions = all.flatMap(({ openPositions }) => openPositions ?? []);
  return {
    ...money('orderUsdc'),
    ...money('exposureUsdc'),
    ...money('dailyLossUsdc'),
    ...(positions.length === 0 ? {} : { openPositions: Math.min(...positions) }),
  };
}

function assertWithinCaps(
  { whose, state, caps }: PartCaps,
  { order, atMs }: RiskRequest,
  usdc: number,
): void {
  const of = whose === 'all' ? '' : ` of ${whose}`;
  const exposure = exposureUsdc(state) + usdc;
  const positions = openPositionCount(state) + (isOpenPosition(state, order.tokenId) ? 0 : 1);
  assertCap(`the order${of}`, usdc, caps.orderUsdc);
  assertCap(`open positions and orders${of}`, exposure, caps.exposureUsdc);
  assertCap(
    `the day's losses and all that is at risk${of}`,
    lostUsdc(state, atMs) + exposure,
    caps.dailyLossUsdc,
  );
  if (caps.openPositions !== undefined && positions > caps.openPositions) {
    throw new AppError(
      'cap_exceeded',
      `${positions} open positions${of} would exceed the cap of ${caps.openPositions}`,
      { fields: [{ path: '/marketId', message: 'only one of those held' }] },
    );
  }
}

function assertCap(what: string, micros: number, cap: UsdcMicros | undefined): void {
  if (cap === undefined || micros <= cap) return;
  throw new AppError(
    'cap_exceeded',
    `${what} would come to ${amount(micros)} USDC, the cap is ${amount(cap)}`,
    lessOf(`${what} may come to ${amount(cap)} USDC`),
  );
}

/** Points at the amount of an order: less of it would be taken. */
function lessOf(message: string): Pick<ErrorDetails, 'fields'> {
  return { fields: [{ path: '/amount', message }] };
}

function amount(micros: number): string {
  return formatMicros(usdcMicros(micros));
}
