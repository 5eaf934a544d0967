import type { BookLevel, Sweep } from './book.ts';
import { TICKS_PER_USD, mulDiv, shareMicros, type ShareMicros, type UsdcMicros } from './units.ts';

/**
 * Walks one side of a book, best first, until `usdc` is spent. Shares of the last level are rounded
 * down, cost up, so neither promises too much. Null for an empty side.
 */
export function sweepUsdc(levels: readonly BookLevel[], usdc: UsdcMicros): Sweep | null {
  let shares = 0;
  let costMicros = 0;
  let worst: BookLevel | null = null;
  for (const level of levels) {
    if (costMicros >= usdc) break;
    worst = level;
    const wholeMicros = mulDiv(level.size, level.price, TICKS_PER_USD, 'ceil');
    const leftMicros = usdc - costMicros;
    if (wholeMicros <= leftMicros) {
      shares += level.size;
      costMicros += wholeMicros;
    } else {
      shares += mulDiv(leftMicros, TICKS_PER_USD, level.price, 'floor');
      costMicros = usdc;
    }
  }
  return worst === null
    ? null
    : {
        worstPrice: worst.price,
        shares: shareMicros(shares),
        costMicros,
        complete: costMicros >= usdc,
      };
}

/**
 * Walks one side of a book, best first, until `wanted` shares are found. Cost is rounded up per
 * level: for a sale read it as at most that. Null for an empty side.
 */
export function sweepShares(levels: readonly BookLevel[], wanted: ShareMicros): Sweep | null {
  let shares = 0;
  let costMicros = 0;
  let worst: BookLevel | null = null;
  for (const level of levels) {
    if (shares >= wanted) break;
    worst = level;
    const taken = Math.min(level.size, wanted - shares);
    shares += taken;
    costMicros += mulDiv(taken, level.price, TICKS_PER_USD, 'ceil');
  }
  return worst === null
    ? null
    : {
        worstPrice: worst.price,
        shares: shareMicros(shares),
        costMicros,
        complete: shares >= wanted,
      };
}
