import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import type { FillLeg } from '../../domain/fill.ts';
import type { TradeSide } from '../../domain/order.ts';
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

/** Returns the fee of one trade by its legs, as it is published (venue_b.md section 14), micros. */
export function publishedFee(legs: readonly Pick<FillLeg, 'shares' | 'price'>[]): number {
  return feeBySteps(legs, VENUE_B_ORDER.feeStepMicros);
}

/** What a fill moved in all, as the venue states it, micros: contracts, and money with its fee. */
export interface PaidInAll {
  readonly side: TradeSide;
  readonly contracts: number;
  readonly usdc: number;
  /** No purchase was dearer, no sale cheaper. */
  readonly limit: PriceTicks;
}

/**
 * Returns the part of a fill's money that is its fee, micros. The venue states the whole alone. A
 * price that explains it to the micro, by the published schedule or without a fee, is taken as the
 * fill's; where none does, for it had several prices, it is the published fee of their mean.
 */
export function feeInside(paid: PaidInAll): number {
  const { contracts, usdc } = paid;
  const { feeStepMicros, feeStepSmallestMicros } = VENUE_B_ORDER;
  for (const tick of GRIDS)
    for (const step of [feeStepMicros, feeStepSmallestMicros])
      for (let price = tick; price < TICKS_PER_USD; price += tick) {
        const fee = feeBySteps([{ shares: contracts, price }], step);
        if (isWithin(paid, price) && wholeOf(paid, price, fee) === usdc) return fee;
      }
  const each = (usdc / contracts) * TICKS_PER_USD;
  if (each < TICKS_PER_USD && each % GRIDS[0] === 0 && isWithin(paid, each)) return 0;
  return Math.min(feeOfMean(paid), usdc);
}

/** The mean price is closed in on: what is paid in all rises with it. */
function feeOfMean(paid: PaidInAll): number {
  let [low, high] = [0, TICKS_PER_USD];
  for (let halved = 0; halved < 40; halved += 1) {
    const middle = (low + high) / 2;
    const fee = feeBySteps([{ shares: paid.contracts, price: middle }], 1);
    if (wholeOf(paid, middle, fee) > paid.usdc) high = middle;
    else low = middle;
  }
  return feeBySteps([{ shares: paid.contracts, price: low }], VENUE_B_ORDER.feeStepSmallestMicros);
}

/** Cents, and the tenths of them that some markets have (venue_b.md section 17), in ticks. */
const GRIDS = [100, 10] as const;

function isWithin({ side, limit }: PaidInAll, price: number): boolean {
  return side === 'buy' ? price <= limit : price >= limit;
}

function wholeOf({ side, contracts }: PaidInAll, price: number, fee: number): number {
  const cost = (contracts * price) / TICKS_PER_USD;
  return side === 'buy' ? cost + fee : cost - fee;
}

/** Money in micros; the sum of contracts × price × what is missing to a dollar is rounded once. */
function feeBySteps(legs: readonly { shares: number; price: number }[], step: number): number {
  const { exchangeRateMicros, routerRateMicros } = VENUE_B_ORDER;
  // Divided by whole powers of ten at last, so that what is a whole number stays one.
  const weight = legs.reduce(
    (sum, { shares, price }) => sum + (shares / MICROS_PER_UNIT) * price * (TICKS_PER_USD - price),
    0,
  );
  const part = (rateMicros: number, unit: number): number =>
    Math.ceil((weight * rateMicros) / (TICKS_PER_USD * TICKS_PER_USD * unit)) * unit;
  return part(exchangeRateMicros, step) + part(routerRateMicros, 1);
}

/** Of the money for contracts at a price: 0.09 of what is missing to a dollar. */
function feePart(price: PriceTicks): number {
  return (
    (VENUE_B_ORDER.feeRateMicros * (TICKS_PER_USD - price)) / (MICROS_PER_UNIT * TICKS_PER_USD)
  );
}
