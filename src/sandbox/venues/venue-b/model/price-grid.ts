import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { PriceStructure } from './listing.ts';

/** Part of a dollar with its step, in ticks of 0.0001. */
export interface PriceRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** Where tenths of a cent end and whole cents begin in a tapered market. */
const TAPER = 1_000;

/** Prices a market takes (venue_b.md section 15.2, `price_ranges`). */
export const PRICE_RANGES: Readonly<Record<PriceStructure, readonly PriceRange[]>> = {
  linear_cent: [{ start: 0, end: TICKS_PER_USD, step: 100 }],
  tapered_deci_cent: [
    { start: 0, end: TAPER, step: 10 },
    { start: TAPER, end: TICKS_PER_USD - TAPER, step: 100 },
    { start: TICKS_PER_USD - TAPER, end: TICKS_PER_USD, step: 10 },
  ],
  deci_cent: [{ start: 0, end: TICKS_PER_USD, step: 10 }],
};

/** Returns the step below a price, in ticks. */
export function stepBelow(structure: PriceStructure, price: number): number {
  return rangeOf(structure, ({ start, end }) => price > start && price <= end).step;
}

/** Returns the step above a price, in ticks. */
export function stepAbove(structure: PriceStructure, price: number): number {
  return rangeOf(structure, ({ start, end }) => price >= start && price < end).step;
}

/** Returns the highest price of the market at or below a number of ticks; 0 without one. */
export function priceAtMost(structure: PriceStructure, ticks: number): number {
  if (ticks <= 0) return 0;
  const most = Math.min(ticks, TICKS_PER_USD);
  const { start, step } = rangeOf(structure, (range) => most > range.start && most <= range.end);
  return start + Math.floor((most - start) / step) * step;
}

function rangeOf(structure: PriceStructure, holds: (range: PriceRange) => boolean): PriceRange {
  const ranges = PRICE_RANGES[structure];
  return (
    ranges.find(holds) ?? ranges[ranges.length - 1] ?? { start: 0, end: TICKS_PER_USD, step: 100 }
  );
}
