import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import { MICROS_PER_UNIT, TICKS_PER_USD, type PriceTicks } from '../../domain/units.ts';

/**
 * Returns the largest fee of a purchase that spends so much beside it at a price or better, micros:
 * a part of the money, and a rounding to the next cent (venue_b.md section 14). A contract and its
 * fee together cost the less the lower the price.
 */
export function largestFee(spendMicros: number, price: PriceTicks): number {
  const { feeStepMicros } = VENUE_B_ORDER;
  return Math.ceil(spendMicros * feePart(price)) + feeStepMicros;
}

/** Returns the largest fee of contracts traded at a price, micros. */
export function feeAtMost(contracts: number, price: PriceTicks): number {
  return largestFee((contracts * price) / TICKS_PER_USD, price);
}

/**
 * Returns what a sum of money leaves for contracts at a price or better once the largest fee is set
 * aside, micros.
 */
export function withoutFee(micros: number, price: PriceTicks): number {
  const left = Math.floor((micros - VENUE_B_ORDER.feeStepMicros) / (1 + feePart(price)));
  return Math.max(0, left - 1);
}

/** Of the money for contracts at a price: 0.09 of what is missing to a dollar. */
function feePart(price: PriceTicks): number {
  return (
    (VENUE_B_ORDER.feeRateMicros * (TICKS_PER_USD - price)) / (MICROS_PER_UNIT * TICKS_PER_USD)
  );
}
