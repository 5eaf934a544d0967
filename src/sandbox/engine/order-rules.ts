import {
  formatDecimal,
  formatMicros,
  priceTicks,
  TICKS_PER_USD,
  usdcMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import type { TradeSide } from '../../domain/order.ts';
import type { EngineOrder, ExchangeMarket } from './exchange-types.ts';

/** The venue's exact refusals (venue_a.md section 8.1). */
export const REFUSALS = {
  noBook: 'No orderbook exists for the requested token id',
  notReady: 'the market is not yet ready to process new orders',
  postOnlyCrosses: 'invalid post-only order: order crosses book',
  postOnlyMarketType: 'postOnly is not supported for FOK/FAK orders',
  fokKilled: "order couldn't be fully filled. FOK orders are fully filled or killed.",
  fakKilled:
    'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
  expiration: 'invalid expiration',
  signature: 'invalid signature',
  version: 'order_version_mismatch',
  owner: 'the order owner has to be the owner of the API KEY',
  signer: 'the order signer address has to be the address of the API KEY',
  payload: 'Invalid order payload',
  wallet: 'maker address not allowed, please use the deposit wallet flow',
  gone: "order can't be found - already canceled or matched",
  delayed: "order can't be canceled while it is delayed",
} as const;

/**
 * A GTD order must outlive this moment, and ends this long before its stated time (venue_a.md
 * section 6.2).
 */
export const GTD_THRESHOLD_MS = 60_000;
/** A marketable buy below this many micros of USDC is refused (venue_a.md section 5.2). */
const MARKETABLE_MINIMUM_MICROS = 1_000_000;

/** True for the types that never rest. */
export function isMarketType(order: Pick<EngineOrder, 'timeInForce'>): boolean {
  return order.timeInForce === 'FOK' || order.timeInForce === 'FAK';
}

/** A signed order's price, or the text of what it is instead. */
export type DerivedPrice =
  | { readonly kind: 'price'; readonly price: PriceTicks }
  | { readonly kind: 'off_tick'; readonly text: string };

/**
 * Price an order's two amounts stand for. A resting order names it exactly. A FOK or FAK carries
 * amounts cut to four decimals, so the nearest price of the tick counts when the cut explains the
 * difference (venue_a.md section 5.2).
 */
export function derivePrice(input: {
  side: TradeSide;
  makerMicros: number;
  takerMicros: number;
  tickSize: PriceTicks;
  marketType: boolean;
}): DerivedPrice {
  const { side, makerMicros, takerMicros, tickSize, marketType } = input;
  const usdc = side === 'buy' ? makerMicros : takerMicros;
  const shares = side === 'buy' ? takerMicros : makerMicros;
  if (usdc <= 0 || shares <= 0) return { kind: 'off_tick', text: '0' };
  const exact = (BigInt(usdc) * BigInt(TICKS_PER_USD)) / BigInt(tickSize);
  const nearest = Number((exact * 2n + BigInt(shares)) / (BigInt(shares) * 2n)) * tickSize;
  const gap = BigInt(usdc) * BigInt(TICKS_PER_USD) - BigInt(shares) * BigInt(nearest);
  const slack = marketType ? BigInt(side === 'buy' ? 100 * nearest : 100 * TICKS_PER_USD) : 0n;
  const onTick =
    gap <= slack && -gap <= slack && nearest >= tickSize && nearest <= TICKS_PER_USD - tickSize;
  if (onTick) return { kind: 'price', price: priceTicks(nearest) };
  const millionths = Number((BigInt(usdc) * 1_000_000n) / BigInt(shares));
  return { kind: 'off_tick', text: formatDecimal(millionths, 6) };
}

/** Sentence for a price off the tick. */
export function offTickRefusal(orderId: string, priceText: string, tickSize: PriceTicks): string {
  return `order ${orderId} is invalid. Price (${priceText}) breaks minimum tick size rule: ${formatDecimal(tickSize, 4)}`;
}

/** Sentence for an order hash seen before. */
export function duplicateRefusal(orderId: string): string {
  return `order ${orderId} is invalid. Duplicated.`;
}

/**
 * Checks an order against the rules that need no book: tick, amounts, decimals, size, expiry. Gives
 * the venue's refusal, or null when all is well.
 */
export function shapeRefusal(
  order: EngineOrder,
  market: ExchangeMarket,
  nowMs: number,
): string | null {
  const marketType = isMarketType(order);
  const derived = derivePrice({ ...order, tickSize: market.tickSize, marketType });
  if (derived.kind === 'off_tick')
    return offTickRefusal(order.orderId, derived.text, market.tickSize);
  if (derived.price !== order.price)
    return offTickRefusal(order.orderId, formatDecimal(order.price, 4), market.tickSize);
  return (
    decimalsRefusal(order, market) ??
    sizeRefusal(order, market) ??
    expiryRefusal(order, nowMs) ??
    (order.postOnly && marketType ? REFUSALS.postOnlyMarketType : null)
  );
}

/** Refusal of a marketable buy worth less than a dollar; null when it is worth enough. */
export function notionalRefusal(order: EngineOrder): string | null {
  if (order.side !== 'buy' || order.makerMicros >= MARKETABLE_MINIMUM_MICROS) return null;
  const cents = Math.floor(order.makerMicros / 10_000);
  return `invalid amount for a marketable BUY order ($${formatDecimal(cents, 2)}), min size: $1`;
}

/** The numbers behind a refusal for want of funds, in micros. */
export interface FundsShortfall {
  readonly balance: number;
  readonly active: number;
  readonly needed: number;
}

/** Refusal for want of funds, with the venue's numbers. */
export function fundsRefusal({ balance, active, needed }: FundsShortfall): string {
  return `not enough balance / allowance: the balance is not enough -> balance: ${balance}, sum of active orders: ${active}, order amount (inc. fees): ${needed}`;
}

/** The numbers behind a refusal for want of an allowance, in micros. */
export interface AllowanceShortfall {
  readonly spender: string;
  readonly allowance: bigint;
  readonly matched: number;
  readonly needed: number;
}

/** Refusal for want of an allowance, with the venue's numbers. */
export function allowanceRefusal({
  spender,
  allowance,
  matched,
  needed,
}: AllowanceShortfall): string {
  return `not enough balance / allowance: the allowance is not enough -> spender: ${spender}, allowance: ${allowance}, sum of matched orders: ${matched}, order amount (inc. fees): ${needed}`;
}

function decimalsRefusal(order: EngineOrder, market: ExchangeMarket): string | null {
  const { side, makerMicros, takerMicros } = order;
  if (isMarketType(order)) {
    if (makerMicros % 10_000 === 0 && takerMicros % 100 === 0) return null;
    return `invalid amounts, the market ${side} orders maker amount supports a max accuracy of 2 decimals, taker amount a max of 4 decimals`;
  }
  const shares = side === 'buy' ? takerMicros : makerMicros;
  const usdc = side === 'buy' ? makerMicros : takerMicros;
  const usdcDecimals =
    market.tickSize >= 100 ? 4 : market.tickSize >= 10 && market.tickSize % 10 === 0 ? 5 : 6;
  if (shares % 10_000 === 0 && usdc % 10 ** (6 - usdcDecimals) === 0) return null;
  const [maker, taker] = side === 'buy' ? [usdcDecimals, 2] : [2, usdcDecimals];
  return `invalid amounts, the ${side} orders maker amount supports a max accuracy of ${maker} decimals, taker amount a max of ${taker} decimals`;
}

function sizeRefusal(order: EngineOrder, market: ExchangeMarket): string | null {
  // Market types have no minimum in shares: the dollar minimum takes its place (venue_a.md section
  // 5.2).
  if (isMarketType(order)) return null;
  const shares = order.side === 'buy' ? order.takerMicros : order.makerMicros;
  if (shares >= market.minSize) return null;
  return `order ${order.orderId} is invalid. Size (${formatMicros(usdcMicros(shares))}) lower than the minimum: ${formatMicros(market.minSize)}`;
}

function expiryRefusal(order: EngineOrder, nowMs: number): string | null {
  if (order.timeInForce !== 'GTD') return order.expiresAtMs === null ? null : REFUSALS.expiration;
  return order.expiresAtMs !== null && order.expiresAtMs > nowMs + GTD_THRESHOLD_MS
    ? null
    : REFUSALS.expiration;
}
