/**
 * How the market clock and the wall's go together: as one in life, apart in a sandbox whose time
 * runs faster.
 */
export interface MarketTime {
  /** Milliseconds of market time in one of the wall's. */
  readonly speed: number;
  /** The wall time at which the market clock shows `marketAtMs`; both epoch ms. */
  toWallMs(marketAtMs: number): number;
  /** What the market clock shows at the wall time `wallAtMs`; both epoch ms. */
  toMarketMs(wallAtMs: number): number;
}

/** Life's: both clocks are one. */
export const ONE_TIME: MarketTime = {
  speed: 1,
  toWallMs: (marketAtMs) => marketAtMs,
  toMarketMs: (wallAtMs) => wallAtMs,
};
