import type { BookLevel } from './book.ts';
import { TICKS_PER_USD } from './units.ts';

/** Best prices in ticks, 0 where a side is empty. */
export interface BestPrices {
  readonly bestBid: number;
  readonly bestAsk: number;
}

/**
 * True when the books of two opposite outcomes show the same orders from both sides: a bid for one
 * at p is an ask for the other at 1 − p. Compares the best prices, which every frame brings for
 * both.
 */
export function areMirrored(up: BestPrices, down: BestPrices): boolean {
  return up.bestBid === opposite(down.bestAsk) && up.bestAsk === opposite(down.bestBid);
}

function opposite(price: number): number {
  return price === 0 ? 0 : TICKS_PER_USD - price;
}

/**
 * True when a book holds the same sizes at the same prices as one that is stated, whose levels may
 * come in any order.
 */
export function haveSameLevels(
  book: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] },
  stated: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] },
): boolean {
  return isSameSide(book.bids, stated.bids) && isSameSide(book.asks, stated.asks);
}

function isSameSide(levels: readonly BookLevel[], stated: readonly BookLevel[]): boolean {
  const sizes = new Map<number, number>(stated.map(({ price, size }) => [price, size]));
  return (
    sizes.size === levels.length && levels.every(({ price, size }) => sizes.get(price) === size)
  );
}
