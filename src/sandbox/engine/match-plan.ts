import { takerFeeMicros } from '../../domain/fees.ts';
import type { FeeSchedule } from '../../domain/market.ts';
import { mulDiv, priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';
import type { EngineOrder } from './exchange-types.ts';
import type { BookSide, MatchingBook, Resting } from './matching-book.ts';
import { isMarketType, lotMicros } from './order-rules.ts';

/** One maker the taker would meet. */
export interface PlannedLeg<Order extends Resting> {
  readonly maker: Order;
  readonly shares: number;
  /** The maker's price as the taker's token sees it, in ticks. */
  readonly takerPrice: number;
  /** What the taker pays (buy) or gets (sell) for the shares, in micros; exact. */
  readonly usdc: number;
  /** Taker fee of this leg, in micros. */
  readonly fee: number;
}

/** What a taker would get from the book as it stands. */
export interface MatchPlan<Order extends Resting> {
  readonly legs: readonly PlannedLeg<Order>[];
  readonly shares: number;
  readonly usdc: number;
  readonly fee: number;
  /** True when nothing the order asks for is left, but for dust below one lot. */
  readonly complete: boolean;
  /** True when each leg becomes a trade of its own. */
  readonly isSplit: boolean;
}

/**
 * Side of the shared book an order belongs to: buying the first outcome and selling the second are
 * the same request.
 */
export function bookSideOf(order: Pick<EngineOrder, 'side'>, outcome: 0 | 1): BookSide {
  return (order.side === 'buy') === (outcome === 0) ? 'bid' : 'ask';
}

/** An order's price in ticks of the first outcome. */
export function firstPriceOf(price: number, outcome: 0 | 1): number {
  return outcome === 0 ? price : TICKS_PER_USD - price;
}

/** What an order asks for: shares, or for a FOK or FAK buy the USDC it may spend. */
export function askedMicros(order: EngineOrder): number {
  if (order.side === 'sell') return order.makerMicros;
  return isMarketType(order) ? order.makerMicros : order.takerMicros;
}

/** What a match goes by beside order and book. */
export interface MatchTerms {
  readonly fee: FeeSchedule | null;
  /**
   * Lots the taker gets more (1) or less (-1) than it asked for: the dust a real match may leave.
   */
  readonly dustLots?: -1 | 0 | 1;
}

/**
 * Plans a match without touching anything: best price first, oldest first, each leg at the maker's
 * price.
 */
export function planMatch<Order extends Resting>(
  order: EngineOrder,
  outcome: 0 | 1,
  book: MatchingBook<Order>,
  terms: MatchTerms,
): MatchPlan<Order> {
  const side = bookSideOf(order, outcome);
  const limit = firstPriceOf(order.price, outcome);
  const byBudget = order.side === 'buy' && isMarketType(order);
  const legs: PlannedLeg<Order>[] = [];
  const total = { shares: 0, usdc: 0, fee: 0 };
  let left = askedMicros(order) + dustOf(order, terms.dustLots ?? 0, byBudget);
  let lastPrice: number = order.price;
  for (const maker of book.queue(side === 'bid' ? 'ask' : 'bid')) {
    if (side === 'bid' ? maker.firstPrice > limit : maker.firstPrice < limit) break;
    lastPrice = firstPriceOf(maker.firstPrice, outcome);
    const wanted = affordable(left, lastPrice, byBudget);
    if (wanted === 0) break;
    const leg = legOf(
      { maker, shares: Math.min(wanted, maker.remaining), takerPrice: lastPrice },
      terms.fee,
    );
    legs.push(leg);
    left -= byBudget ? leg.usdc : leg.shares;
    total.shares += leg.shares;
    total.usdc += leg.usdc;
    total.fee += leg.fee;
  }
  return { legs, ...total, complete: affordable(left, lastPrice, byBudget) === 0, isSplit: false };
}

/**
 * The same match in twice as many trades: each is a match by itself, so its fee is rounded by
 * itself (venue_a.md section 5.3).
 */
export function splitPlan<Order extends Resting>(
  plan: MatchPlan<Order>,
  fee: FeeSchedule | null,
): MatchPlan<Order> {
  const legs = plan.legs.flatMap((leg) => halves(leg, fee));
  return { ...plan, legs, fee: legs.reduce((sum, leg) => sum + leg.fee, 0), isSplit: true };
}

/**
 * Two parts of one leg that add up to its shares and money exactly; the leg alone when it is a
 * single lot.
 */
function halves<Order extends Resting>(
  leg: PlannedLeg<Order>,
  fee: FeeSchedule | null,
): readonly PlannedLeg<Order>[] {
  const { maker, takerPrice } = leg;
  const lot = lotMicros(takerPrice);
  const half = Math.floor(leg.shares / lot / 2) * lot;
  return half === 0
    ? [leg]
    : [half, leg.shares - half].map((shares) => legOf({ maker, shares, takerPrice }, fee));
}

function dustOf({ price }: EngineOrder, lots: number, byBudget: boolean): number {
  const lot = lotMicros(price);
  return lots * (byBudget ? mulDiv(lot, price, TICKS_PER_USD, 'floor') : lot);
}

function affordable(left: number, price: number, byBudget: boolean): number {
  const shares = byBudget ? mulDiv(left, TICKS_PER_USD, price, 'floor') : left;
  return shares - (shares % lotMicros(price));
}

function legOf<Order extends Resting>(
  part: { maker: Order; shares: number; takerPrice: number },
  fee: FeeSchedule | null,
): PlannedLeg<Order> {
  return {
    ...part,
    usdc: mulDiv(part.shares, part.takerPrice, TICKS_PER_USD, 'floor'),
    fee: takerFeeMicros(shareMicros(part.shares), priceTicks(part.takerPrice), fee),
  };
}
