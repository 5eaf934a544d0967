import type { BookLevel } from './book.ts';
import { TICKS_PER_USD, priceTicks, shareMicros } from './units.ts';

/** The step of a book whose tick is not known: one cent, as nearly every market has. */
const USUAL_STEP = 100;

/**
 * One side of a book: sizes in micro-shares by price, in an array with one slot per `step` ticks of
 * price, so that a level is changed in constant time. A price between two steps refines the step.
 * Mutable inside; `levels` gives copies.
 */
export class BookSide {
  /** Best price in ticks, 0 when the side is empty. */
  best = 0;
  private readonly isBid: boolean;
  private step = USUAL_STEP;
  private sizes = new Float64Array(TICKS_PER_USD / USUAL_STEP);

  constructor(side: 'bid' | 'ask') {
    this.isBid = side === 'bid';
  }

  /** Sets the whole size at a price from 1 to 9 999 ticks; 0 removes the level. */
  set(price: number, size: number): void {
    if (price % this.step !== 0) this.refine(price);
    this.sizes[price / this.step] = size;
    if (size === 0) {
      if (price === this.best) this.best = this.nextAfter(price / this.step) * this.step;
    } else if (this.best === 0) this.best = price;
    else this.best = this.isBid ? Math.max(this.best, price) : Math.min(this.best, price);
  }

  /** Removes every level. */
  clear(): void {
    this.sizes.fill(0);
    this.best = 0;
  }

  /** The levels, best first. */
  levels(): BookLevel[] {
    const levels: BookLevel[] = [];
    for (let slot = this.best / this.step; slot !== 0; slot = this.nextAfter(slot))
      levels.push(this.levelAt(slot));
    return levels;
  }

  /** The best level; null when the side is empty. */
  top(): BookLevel | null {
    return this.best === 0 ? null : this.levelAt(this.best / this.step);
  }

  private levelAt(slot: number): BookLevel {
    return { price: priceTicks(slot * this.step), size: shareMicros(this.sizes[slot] ?? 0) };
  }

  /** The next slot that holds something, away from the best; 0, which no price has, at the end. */
  private nextAfter(slot: number): number {
    const { sizes, isBid } = this;
    const towards = isBid ? -1 : 1;
    const end = isBid ? 0 : sizes.length;
    for (let next = slot + towards; next !== end; next += towards) {
      if (sizes[next] !== 0) return next;
    }
    return 0;
  }

  private refine(price: number): void {
    const finer = greatestCommonDivisor(this.step, price);
    const sizes = new Float64Array(TICKS_PER_USD / finer);
    this.sizes.forEach((size, slot) => {
      sizes[(slot * this.step) / finer] = size;
    });
    this.sizes = sizes;
    this.step = finer;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
