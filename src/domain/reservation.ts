import { AppError, type ErrorDetails } from './errors.ts';
import type { OrderIntent, Reservation } from './order.ts';
import {
  availableShares,
  availableUsdc,
  exposureUsdc,
  isOpenPosition,
  lostUsdc,
  openPositionCount,
  type RiskState,
} from './risk.ts';
import {
  formatMicros,
  shareMicros,
  usdcMicros,
  type ShareMicros,
  type UsdcMicros,
} from './units.ts';

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
interface PartCaps {
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
  /** Over the part the order belongs to, held beside the others; absent without one. */
  readonly part?: PartCaps;
  readonly atMs: number;
}

/**
 * Says what to set aside for an order, or why it may not be made: `insufficient_funds`,
 * `insufficient_shares`, `cap_exceeded`. A buy sets aside its account's money and the largest fee
 * it can meet, a sell its shares; caps bind buys, which are what adds risk, over all accounts
 * together. Store the order with this reservation and `withOrder` in the same transaction.
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
    return askedBy(request);
  }
  const { usdc } = askedBy(request);
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
  return askedBy(request);
}

/**
 * Returns what an order asks to have set aside: the money of a buy and the largest fee it can meet,
 * the shares of a sale.
 */
export function askedBy({
  order: { side, spendMicros },
  worstFee,
}: Pick<RiskRequest, 'order' | 'worstFee'>): Reservation {
  return side === 'sell'
    ? { usdc: usdcMicros(0), shares: shareMicros(spendMicros) }
    : { usdc: usdcMicros(spendMicros + worstFee), shares: shareMicros(0) };
}

/** What is left for orders, before one more: null where no cap binds. */
export interface Room extends Readonly<Record<keyof RiskCaps, number | null>> {
  /** Of the order's cash account. */
  readonly usdc: UsdcMicros;
  /** Of the order's token, for sale. */
  readonly shares: ShareMicros;
}

/** Returns what balances and caps leave for an order, none of it below zero. */
export function roomFor(state: RiskState, request: RiskRequest): Room {
  const { order, settledUsdc, settledShares, caps } = request;
  const left = (cap: number | undefined, used: number) =>
    cap === undefined ? null : Math.max(0, cap - used);
  const used = usedOf(state, request.atMs);
  return {
    usdc: availableUsdc(state, order.cashAccount, settledUsdc),
    shares: availableShares(state, order.tokenId, settledShares),
    orderUsdc: left(caps.orderUsdc, 0),
    exposureUsdc: left(caps.exposureUsdc, used.exposureUsdc),
    dailyLossUsdc: left(caps.dailyLossUsdc, used.dailyLossUsdc),
    openPositions: left(caps.openPositions, used.openPositions),
  };
}

/** What counts against the caps before an order. */
function usedOf(state: RiskState, atMs: number) {
  const exposure = exposureUsdc(state);
  return {
    exposureUsdc: exposure,
    dailyLossUsdc: lostUsdc(state, atMs) + exposure,
    openPositions: openPositionCount(state),
  };
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
  const used = usedOf(state, atMs);
  const positions = used.openPositions + (isOpenPosition(state, order.tokenId) ? 0 : 1);
  const { openPositions = Infinity } = caps;
  assertCap('order', `the order${of}`, { micros: usdc, cap: caps.orderUsdc });
  assertCap('exposure', `open positions and orders${of}`, {
    micros: used.exposureUsdc + usdc,
    cap: caps.exposureUsdc,
  });
  assertCap('daily_loss', `the day's losses and all that is at risk${of}`, {
    micros: used.dailyLossUsdc + usdc,
    cap: caps.dailyLossUsdc,
  });
  if (positions > openPositions) {
    throw new CapExceeded(
      'open_positions',
      `${positions} open positions${of} would exceed the cap of ${openPositions}`,
      { fields: [{ path: '/marketId', message: 'only one of those held' }] },
    );
  }
}

/** Caps that bind purchases. */
export type CapName = 'order' | 'exposure' | 'daily_loss' | 'open_positions';

/** `cap_exceeded`, with the cap. */
export class CapExceeded extends AppError {
  readonly cap: CapName;

  constructor(cap: CapName, message: string, details: ErrorDetails) {
    super('cap_exceeded', message, details);
    this.cap = cap;
  }
}

function assertCap(
  name: CapName,
  what: string,
  { micros, cap }: { readonly micros: number; readonly cap: UsdcMicros | undefined },
): void {
  if (cap === undefined || micros <= cap) return;
  throw new CapExceeded(
    name,
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
