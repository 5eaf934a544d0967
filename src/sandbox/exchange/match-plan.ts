import type { TradeSide } from '../../domain/order.ts';
import { mulDiv, TICKS_PER_USD } from '../../domain/units.ts';
import type { BookSide, MatchingBook, Resting } from './matching-book.ts';

/** One maker the taker would meet. */
export interface PlannedLeg<Order extends Resting> {
  readonly maker: Order;
  readonly shares: number;
  /** The maker's price as the taker's token sees it, in ticks. */
  readonly takerPrice: number;
  /** What the taker pays (buy) or gets (sell) for the shares, in micros; exact. */
  readonly usdc: number;
  /** Taker fee of this leg, in micros of what the venue takes it in. */
  readonly fee: number;
}

/** What a taker would get from the book as it is now. */
export interface MatchPlan<Order extends Resting> {
  readonly legs: readonly PlannedLeg<Order>[];
  readonly shares: number;
  readonly usdc: number;
  readonly fee: number;
  /** True when nothing the order asks for is left, but for dust below one lot. */
  readonly complete: boolean;
}

/** What a taker asks of a book. */
export interface TakerTerms {
  readonly side: TradeSide;
  readonly outcome: 0 | 1;
  /** Worst price of its own token it takes, in ticks. */
  readonly price: number;
  /** Shares, or with `byBudget` the USDC it spends, in micros. */
  readonly askedMicros: number;
  readonly byBudget: boolean;
}

/** Fee of a leg of so many shares at the taker's price in ticks. */
export type LegFee = (shares: number, takerPrice: number) => number;

/**
 * Side of the shared book an order belongs to: buying the first outcome and selling the second are
 * the same request.
 */
export function bookSideOf({ side }: { readonly side: TradeSide }, outcome: 0 | 1): BookSide {
  return (side === 'buy') === (outcome === 0) ? 'bid' : 'ask';
}

/** An order's price in ticks of the first outcome. */
export function firstPriceOf(price: number, outcome: 0 | 1): number {
  return outcome === 0 ? price : TICKS_PER_USD - price;
}

/**
 * Smallest lot at a price, in micros of shares: every leg is a multiple of it, so that shares ×
 * price is a whole number of micros and no collateral is ever rounded away.
 */
export function lotMicros(price: number): number {
  if (price % 100 === 0) return 100;
  return price % 10 === 0 ? 1_000 : 10_000;
}

/**
 * Plans a match without touching anything: best price first, oldest first, each leg at the maker's
 * price.
 */
export function planMatch<Order extends Resting>(
  { side: tradeSide, outcome, price, askedMicros, byBudget }: TakerTerms,
  book: MatchingBook<Order>,
  feeOf: LegFee,
): MatchPlan<Order> {
  const side = bookSideOf({ side: tradeSide }, outcome);
  const limit = firstPriceOf(price, outcome);
  const legs: PlannedLeg<Order>[] = [];
  const total = { shares: 0, usdc: 0, fee: 0 };
  let left = askedMicros;
  let lastPrice = price;
  for (const maker of book.queue(side === 'bid' ? 'ask' : 'bid')) {
    if (side === 'bid' ? maker.firstPrice > limit : maker.firstPrice < limit) break;
    lastPrice = firstPriceOf(maker.firstPrice, outcome);
    const wanted = affordable(left, lastPrice, byBudget);
    if (wanted === 0) break;
    const leg = legOf(
      { maker, shares: Math.min(wanted, maker.remaining), takerPrice: lastPrice },
      feeOf,
    );
    legs.push(leg);
    left -= byBudget ? leg.usdc : leg.shares;
    total.shares += leg.shares;
    total.usdc += leg.usdc;
    total.fee += leg.fee;
  }
  return { legs, ...total, complete: affordable(left, lastPrice, byBudget) === 0 };
}

/** A leg at a maker's price. */
export function legOf<Order extends Resting>(
  part: { readonly maker: Order; readonly shares: number; readonly takerPrice: number },
  feeOf: LegFee,
): PlannedLeg<Order> {
  return {
    ...part,
    usdc: mulDiv(part.shares, part.takerPrice, TICKS_PER_USD, 'floor'),
    fee: feeOf(part.shares, part.takerPrice),
  };
}

function affordable(left: number, price: number, byBudget: boolean): number {
  const shares = byBudget ? mulDiv(left, TICKS_PER_USD, price, 'floor') : left;
  return shares - (shares % lotMicros(price));
}
