import type { SettlementPrices } from '../../../src/sandbox/feeds/prices/settlement-prices.ts';

const SCALE = 1_000_000_000;

/**
 * Prices that rise by this part of themselves a second, without a break from a second on. Whoever
 * looks at them for a while sees the same: the side that is ahead stays ahead, and what is foretold
 * lies further on. So an agent enters the same round on the same side however long a start took to
 * have prices again.
 */
export function leadingPrices(
  prices: SettlementPrices,
  fromSecond: number,
  gainPerSecond: number,
): SettlementPrices {
  const factorAt = (second: number): number =>
    Math.exp(gainPerSecond * Math.max(0, second - fromSecond));
  return {
    at(asset, second) {
      const price = prices.at(asset, second);
      return price === null
        ? null
        : (price * BigInt(Math.round(factorAt(second) * SCALE))) / BigInt(SCALE);
    },
    valueAt(asset, second) {
      const price = prices.valueAt(asset, second);
      return price === null ? null : price * factorAt(second);
    },
  };
}
