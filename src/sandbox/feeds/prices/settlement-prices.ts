import type { Asset } from '../../../domain/ids.ts';

/** Assets of the modelled world, in the order of their streams of chance. */
export const ASSETS: readonly Asset[] = ['BTC', 'ETH', 'SOL'];

/**
 * The settlement feed as the world knows it: one tick a second and asset. A model may be asked for
 * seconds to come (the exchange leads, a prediction sees a little of the future); servers give out
 * only what has happened.
 */
export interface SettlementPrices {
  /**
   * The tick stamped with this whole second, USD with 18 decimals; null when the source has none.
   */
  at(asset: Asset, second: number): bigint | null;
  /**
   * The newest tick at or before this second as a number of USD; null without one within
   * reach.
   */
  valueAt(asset: Asset, second: number): number | null;
}

/**
 * Which settlement value decides a round: the spot tick of a second, or the average over the minute
 * before it.
 */
export type SettlementRule = 'spot' | 'twap_60';

/**
 * USD with 18 decimals as the nearest number, for models that reckon in floats. Never for
 * comparing.
 */
export function toUsd(priceE18: bigint): number {
  return Number(priceE18) / 1e18;
}

/**
 * Seconds that a time-weighted average covers, and how far before its stamp the newest of them
 * lies.
 */
export const TWAP = { seconds: 60, trailSeconds: 3 } as const;

/**
 * The average over 60 whole seconds stamped `second`, 18 decimals, rounded down; null when fewer
 * than half of the ticks exist.
 */
export function twapAt(prices: SettlementPrices, asset: Asset, second: number): bigint | null {
  let sum = 0n;
  let count = 0n;
  for (let back = 0; back < TWAP.seconds; back += 1) {
    const tick = prices.at(asset, second - TWAP.trailSeconds - back);
    if (tick === null) continue;
    sum += tick;
    count += 1n;
  }
  return count * 2n < BigInt(TWAP.seconds) ? null : sum / count;
}
