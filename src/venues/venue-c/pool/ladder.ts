import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import type { BookLevel } from '../../../domain/book.ts';
import { poolPrice, type FixedProductPool } from '../../../domain/fixed-product-pool.ts';
import type { OutcomeIndex } from '../../../domain/market.ts';
import { TICKS_PER_USD, priceTicks, shareMicros } from '../../../domain/units.ts';

/** What a pool sells and buys of one outcome, as the levels of a book; best price first. */
export interface PoolLadder {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/**
 * Returns a pool's curve as a book, its fee inside the prices: each level has the shares between it
 * and the one before, all at the worst price among them, so that a trade never costs more, nor
 * brings less, than the levels say. Empty where the pool has no shares.
 */
export function poolLadder(pool: FixedProductPool, outcome: OutcomeIndex): PoolLadder {
  if (pool.reserves.some((shares) => shares === 0n)) return { bids: [], asks: [] };
  const kept = 1 - Number(pool.feeE18) / 1e18;
  const price = poolPrice(pool, outcome);
  const { tickSize: tick, levelsMaximum } = VENUE_C_POOL;
  const sharesTo = sharesBetween(pool, outcome);
  const side = (first: number, step: number, priceAt: (ticks: number) => number) => {
    const levels: BookLevel[] = [];
    let taken = 0;
    for (
      let ticks = first;
      ticks >= tick && ticks <= TICKS_PER_USD - tick && levels.length < levelsMaximum;
      ticks += step
    ) {
      const marginal = priceAt(ticks);
      if (marginal <= 0 || marginal >= 1) break;
      // The contract rounds each trade against who trades.
      const shares = Math.floor(sharesTo(marginal)) - 1 - taken;
      if (shares <= 0) continue;
      levels.push({ price: priceTicks(ticks), size: shareMicros(shares) });
      taken += shares;
    }
    return levels;
  };
  const above = Math.floor(((price / kept) * TICKS_PER_USD) / tick + 1) * tick;
  const below = Math.ceil((price * kept * TICKS_PER_USD) / tick - 1) * tick;
  return {
    asks: side(above, tick, (ticks) => (ticks / TICKS_PER_USD) * kept),
    bids: side(below, -tick, (ticks) => ticks / TICKS_PER_USD / kept),
  };
}

/**
 * Gives the micros of shares that change hands where the outcome's own price, without fee, moves to
 * another one: the product of both sides stays the same.
 */
function sharesBetween(
  { reserves: [yes, no] }: FixedProductPool,
  outcome: OutcomeIndex,
): (price: number) => number {
  const [own, other] = outcome === 0 ? [Number(yes), Number(no)] : [Number(no), Number(yes)];
  return (price) => {
    const ownAfter = Math.sqrt((own * other * (1 - price)) / price);
    const otherAfter = (own * other) / ownAfter;
    return Math.abs(own - ownAfter + (otherAfter - other));
  };
}
