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
    if (price % this.step !== 0) {
      if (size === 0) return;
      this.refine(price);
    }
    this.sizes[price / this.step] = size;
    if (size !== 0) {
      if (this.best === 0 || (this.isBid ? price > this.best : price < this.best))
        this.best = price;
    } else if (price === this.best) {
      this.best = this.nextBest();
    }
  }

  /** Size at a price, 0 where nothing rests. */
  sizeAt(price: number): number {
    return price % this.step === 0 ? (this.sizes[price / this.step] ?? 0) : 0;
  }

  /** Removes every level. */
  clear(): void {
    this.sizes.fill(0);
    this.best = 0;
  }

  /** The levels, best first. */
  levels(): BookLevel[] {
    const { sizes, step, isBid } = this;
    const levels: BookLevel[] = [];
    const towards = isBid ? -1 : 1;
    for (let slot = this.best / step; slot > 0 && slot < sizes.length; slot += towards) {
      const size = sizes[slot] ?? 0;
      if (size !== 0) levels.push({ price: priceTicks(slot * step), size: shareMicros(size) });
    }
    return levels;
  }

  /** The best level; null when the side is empty. */
  top(): BookLevel | null {
    return this.best === 0
      ? null
      : { price: priceTicks(this.best), size: shareMicros(this.sizeAt(this.best)) };
  }

  private nextBest(): number {
    const { sizes, step } = this;
    const towards = this.isBid ? -1 : 1;
    for (let slot = this.best / step + towards; slot > 0 && slot < sizes.length; slot += towards) {
      if (sizes[slot] !== 0) return slot * step;
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
