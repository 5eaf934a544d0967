import {
  sharesBought,
  sharesSold,
  type FixedProductPool,
} from '../../../domain/fixed-product-pool.ts';
import type { OutcomeIndex } from '../../../domain/market.ts';

/**
 * Returns the least dollars, micros, that buy so many shares; null where more than `most` are
 * needed.
 */
export function dollarsFor(
  pool: FixedProductPool,
  outcome: OutcomeIndex,
  { shares, most }: { readonly shares: bigint; readonly most: bigint },
): bigint | null {
  const isEnough = (dollars: bigint) => (sharesBought(pool, outcome, dollars) ?? 0n) >= shares;
  return isEnough(most) ? least(most, isEnough) : null;
}

/** Returns the most dollars, micros, that the pool pays for so many shares. */
export function dollarsFrom(pool: FixedProductPool, outcome: OutcomeIndex, shares: bigint): bigint {
  // A share never brings more than a dollar.
  const isTooMuch = (dollars: bigint) => {
    const needed = sharesSold(pool, outcome, dollars);
    return needed === null || needed > shares;
  };
  return least(shares + 1n, isTooMuch) - 1n;
}

/** Returns the least number from 1 to `most` of which something holds, as of all above it. */
function least(most: bigint, holds: (value: bigint) => boolean): bigint {
  let [low, high] = [1n, most];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}
