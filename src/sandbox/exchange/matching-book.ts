import type { BookLevel } from '../../domain/book.ts';
import type { OrderId } from '../../domain/ids.ts';
import { priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';

/** Side of the one book both outcomes share, in prices of the first outcome. */
export type BookSide = 'bid' | 'ask';

/**
 * What the book needs to know of an order that rests in it. `remaining` falls as the order is
 * matched.
 */
export interface Resting {
  readonly orderId: OrderId;
  readonly bookSide: BookSide;
  /** Price of the first outcome in ticks: a buy of the second at p rests as an ask at 1 − p. */
  readonly firstPrice: number;
  /** Shares not matched yet, in micros. */
  remaining: number;
}

interface Level<Order extends Resting> {
  readonly price: number;
  size: number;
  /** Oldest first: a map keeps its insertion order and forgets a member in constant time. */
  readonly orders: Map<OrderId, Order>;
}

/**
 * Keeps the resting orders of one market in price-time order. Both outcomes share it: the second
 * outcome's book is its mirror.
 */
export class MatchingBook<Order extends Resting> {
  /** Best first. */
  readonly #bids: Level<Order>[] = [];
  /** Best first. */
  readonly #asks: Level<Order>[] = [];

  /** Adds an order behind those that rest at its price; gives the level's new size. */
  add(order: Order): number {
    const levels = this.#side(order.bookSide);
    const index = position(levels, order.bookSide, order.firstPrice);
    let level = levels[index];
    if (level === undefined || level.price !== order.firstPrice) {
      level = { price: order.firstPrice, size: 0, orders: new Map() };
      levels.splice(index, 0, level);
    }
    level.orders.set(order.orderId, order);
    level.size += order.remaining;
    return level.size;
  }

  /**
   * Takes `shares` off a resting order, and the order out of the book when `leaves`; gives the
   * level's new size.
   */
  reduce(order: Order, shares: number, leaves: boolean): number {
    const levels = this.#side(order.bookSide);
    const index = position(levels, order.bookSide, order.firstPrice);
    const level = levels[index];
    if (
      level === undefined ||
      level.price !== order.firstPrice ||
      !level.orders.has(order.orderId)
    ) {
      throw new Error(`invariant broken: ${order.orderId} is not in the book`);
    }
    const before = order.remaining;
    order.remaining -= shares;
    level.size -= leaves ? before : shares;
    if (leaves) level.orders.delete(order.orderId);
    if (level.orders.size === 0) levels.splice(index, 1);
    return level.size;
  }

  /**
   * Orders of one side in the sequence a taker meets them: best price first, oldest first within a
   * price.
   */
  *queue(side: BookSide): Generator<Order> {
    for (const level of this.#side(side)) yield* level.orders.values();
  }

  /** Best price of a side in ticks of the first outcome; null when the side is empty. */
  best(side: BookSide): number | null {
    return this.#side(side)[0]?.price ?? null;
  }

  /** Size resting at a price of the first outcome, in micros of shares. */
  sizeAt(side: BookSide, price: number): number {
    const levels = this.#side(side);
    const level = levels[position(levels, side, price)];
    return level?.price === price ? level.size : 0;
  }

  /** The book as one outcome's readers see it, best first; the mirror when `outcome` is 1. */
  view(outcome: 0 | 1): {
    readonly bids: readonly BookLevel[];
    readonly asks: readonly BookLevel[];
  } {
    if (outcome === 0) return { bids: this.#bids.map(asLevel), asks: this.#asks.map(asLevel) };
    return { bids: this.#asks.map(asMirror), asks: this.#bids.map(asMirror) };
  }

  #side(side: BookSide): Level<Order>[] {
    return side === 'bid' ? this.#bids : this.#asks;
  }
}

/** Index of the level at `price`, or where it belongs. */
function position(
  levels: readonly { readonly price: number }[],
  side: BookSide,
  price: number,
): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = levels[middle]?.price ?? 0;
    const better = side === 'bid' ? at > price : at < price;
    if (better) low = middle + 1;
    else high = middle;
  }
  return low;
}

function asLevel(level: { readonly price: number; readonly size: number }): BookLevel {
  return { price: priceTicks(level.price), size: shareMicros(level.size) };
}

function asMirror(level: { readonly price: number; readonly size: number }): BookLevel {
  return { price: priceTicks(TICKS_PER_USD - level.price), size: shareMicros(level.size) };
}
