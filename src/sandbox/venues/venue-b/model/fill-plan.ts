import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { Bids } from './ladder.ts';

/** What a taker would get from a book, whole contracts only. Money in micros of a dollar. */
export interface FillPlan {
  readonly contracts: number;
  /** Contracts at their prices, without the fee. */
  readonly costMicros: number;
  readonly feeMicros: number;
  /** Worst price of the taker's outcome in ticks of 0.0001; null without a contract. */
  readonly worstTicks: number | null;
  /** Contracts by price of the bids they are taken from. */
  readonly taken: Bids;
}

/** A purchase: what it may spend, fee included, and the highest price. */
export interface Purchase {
  readonly budgetMicros: number;
  readonly capTicks: number;
  readonly feeMultiplier: number;
}

/** A sale: contracts, and the lowest price. */
export interface Sale {
  readonly contracts: number;
  readonly floorTicks: number;
  readonly feeMultiplier: number;
}

/** Micros of a contract's price of one tick. */
const MICROS_PER_TICK = 100;
const CENT_MICROS = 10_000;

/**
 * Returns the fee of a taker: 0.07·c·p·(1−p) up to the next cent, and 0.01·c·p·(1−p) up to the next
 * micro (venue_b.md section 14); `weight` is the sum of contracts times price times what is missing
 * to a dollar, in ticks squared.
 */
export function feeMicros(weight: number, feeMultiplier: number): number {
  const exchange = (weight * 7 * feeMultiplier) / 10_000;
  return (
    Math.ceil(exchange / CENT_MICROS) * CENT_MICROS + Math.ceil((weight * feeMultiplier) / 10_000)
  );
}

/** Plans a purchase of an outcome from the bids for the other one, best first. */
export function planPurchase(
  otherBids: Bids,
  { budgetMicros, capTicks, feeMultiplier }: Purchase,
): FillPlan {
  let [contracts, costMicros, weight] = [0, 0, 0];
  let worstTicks: number | null = null;
  const taken = new Map<number, number>();
  for (const [bid, size] of otherBids) {
    const price = TICKS_PER_USD - bid;
    if (price > capTicks) break;
    const fits = (count: number): boolean =>
      costMicros +
        count * price * MICROS_PER_TICK +
        feeMicros(weight + count * price * bid, feeMultiplier) <=
      budgetMicros;
    const count = mostThat(fits, size);
    if (count === 0) break;
    contracts += count;
    costMicros += count * price * MICROS_PER_TICK;
    weight += count * price * bid;
    worstTicks = price;
    taken.set(bid, count);
    if (count < size) break;
  }
  return {
    contracts,
    costMicros,
    feeMicros: contracts === 0 ? 0 : feeMicros(weight, feeMultiplier),
    worstTicks,
    taken,
  };
}

/** Plans a sale of an outcome to the bids for it, best first. */
export function planSale(
  bids: Bids,
  { contracts: wanted, floorTicks, feeMultiplier }: Sale,
): FillPlan {
  let [contracts, costMicros, weight] = [0, 0, 0];
  let worstTicks: number | null = null;
  const taken = new Map<number, number>();
  for (const [price, size] of bids) {
    const count = Math.min(size, wanted - contracts);
    if (price < floorTicks || count === 0) break;
    contracts += count;
    costMicros += count * price * MICROS_PER_TICK;
    weight += count * price * (TICKS_PER_USD - price);
    worstTicks = price;
    taken.set(price, count);
  }
  const fee = contracts === 0 ? 0 : feeMicros(weight, feeMultiplier);
  // What is not worth its fee is not sold.
  return fee >= costMicros
    ? { contracts: 0, costMicros: 0, feeMicros: 0, worstTicks: null, taken: new Map() }
    : { contracts, costMicros, feeMicros: fee, worstTicks, taken };
}

/** The largest count up to `most` that holds; what holds for a count holds for fewer. */
function mostThat(holds: (count: number) => boolean, most: number): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
