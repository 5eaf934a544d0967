import { takerFeeMicros } from '../../domain/fees.ts';
import type { FeeSchedule } from '../../domain/market.ts';
import { mulDiv, priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';
import {
  legOf,
  lotMicros,
  planMatch,
  type LegFee,
  type MatchPlan,
  type PlannedLeg,
} from '../exchange/match-plan.ts';
import type { MatchingBook, Resting } from '../exchange/matching-book.ts';
import type { EngineOrder } from './exchange-types.ts';
import { isMarketType } from './order-rules.ts';

/** A match and the trades it becomes. */
export interface TradePlan<Order extends Resting> extends MatchPlan<Order> {
  /** True when each leg becomes a trade of its own. */
  readonly isSplit: boolean;
}

/** What a match goes by beside order and book. */
export interface MatchTerms {
  readonly fee: FeeSchedule | null;
  /**
   * Lots the taker gets more (1) or less (-1) than it asked for: the dust a real match may leave.
   */
  readonly dustLots?: -1 | 0 | 1;
}

/** What an order asks for: shares, or for a FOK or FAK buy the USDC it may spend. */
export function askedMicros(order: EngineOrder): number {
  if (order.side === 'sell') return order.makerMicros;
  return isMarketType(order) ? order.makerMicros : order.takerMicros;
}

/** Plans the match of an order by the venue's types, fees and dust. */
export function planOrder<Order extends Resting>(
  order: EngineOrder,
  outcome: 0 | 1,
  book: MatchingBook<Order>,
  terms: MatchTerms,
): TradePlan<Order> {
  const { side, price } = order;
  const byBudget = side === 'buy' && isMarketType(order);
  const asked = askedMicros(order) + dustOf(order, terms.dustLots ?? 0, byBudget);
  const taker = { side, outcome, price, askedMicros: asked, byBudget };
  return { ...planMatch(taker, book, feeBy(terms.fee)), isSplit: false };
}

/**
 * The same match in twice as many trades: each is a match by itself, so its fee is rounded by
 * itself (venue_a.md section 5.3).
 */
export function splitPlan<Order extends Resting>(
  plan: TradePlan<Order>,
  fee: FeeSchedule | null,
): TradePlan<Order> {
  const legs = plan.legs.flatMap((leg) => halves(leg, feeBy(fee)));
  return { ...plan, legs, fee: legs.reduce((sum, leg) => sum + leg.fee, 0), isSplit: true };
}

/**
 * Two parts of one leg that add up to its shares and money exactly; the leg alone when it is a
 * single lot.
 */
function halves<Order extends Resting>(
  leg: PlannedLeg<Order>,
  feeOf: LegFee,
): readonly PlannedLeg<Order>[] {
  const { maker, takerPrice } = leg;
  const lot = lotMicros(takerPrice);
  const half = Math.floor(leg.shares / lot / 2) * lot;
  return half === 0
    ? [leg]
    : [half, leg.shares - half].map((shares) => legOf({ maker, shares, takerPrice }, feeOf));
}

function feeBy(fee: FeeSchedule | null): LegFee {
  return (shares, takerPrice) => takerFeeMicros(shareMicros(shares), priceTicks(takerPrice), fee);
}

function dustOf({ price }: EngineOrder, lots: number, byBudget: boolean): number {
  const lot = lotMicros(price);
  return lots * (byBudget ? mulDiv(lot, price, TICKS_PER_USD, 'floor') : lot);
}
