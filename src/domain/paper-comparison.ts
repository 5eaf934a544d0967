import { mulDiv } from './units.ts';

/**
 * What one side of a pair bought, and what it has realised so far. Micros of shares and of USDC.
 */
export interface PairSide {
  readonly shares: number;
  /** Paid for the shares, fees not included. */
  readonly usdc: number;
  readonly feesUsdc: number;
  readonly realisedUsdc: number;
}

/**
 * One entry of a live agent and, where there was one, that of its shadow run in the same market.
 */
export interface Pair {
  readonly live: PairSide;
  readonly paper: PairSide | null;
}

/**
 * How live entries differ from their shadow runs', summed up over all of them. Money in USDC
 * micros.
 */
export interface Comparison {
  readonly entries: number;
  readonly liveFilled: number;
  readonly paperFilled: number;
  readonly bothFilled: number;
  /**
   * Paid for real beyond what paper paid a share, over the shares of entries that both filled;
   * below zero when real was cheaper.
   */
  readonly slippageUsdc: number;
  /** Shares bought for real in those entries. */
  readonly comparedShares: number;
  readonly liveFeesUsdc: number;
  readonly paperFeesUsdc: number;
  readonly liveRealisedUsdc: number;
  readonly paperRealisedUsdc: number;
}

/** Before the first pair. */
export const NO_COMPARISON: Comparison = {
  entries: 0,
  liveFilled: 0,
  paperFilled: 0,
  bothFilled: 0,
  slippageUsdc: 0,
  comparedShares: 0,
  liveFeesUsdc: 0,
  paperFeesUsdc: 0,
  liveRealisedUsdc: 0,
  paperRealisedUsdc: 0,
};

const NOTHING: PairSide = { shares: 0, usdc: 0, feesUsdc: 0, realisedUsdc: 0 };

/** The sum with a pair as it is now in the place of what it was, null when it is new. */
export function withPair(sum: Comparison, before: Pair | null, after: Pair): Comparison {
  const was = before === null ? NO_COMPARISON : partOf(before);
  const is = partOf(after);
  return {
    entries: sum.entries + is.entries - was.entries,
    liveFilled: sum.liveFilled + is.liveFilled - was.liveFilled,
    paperFilled: sum.paperFilled + is.paperFilled - was.paperFilled,
    bothFilled: sum.bothFilled + is.bothFilled - was.bothFilled,
    slippageUsdc: sum.slippageUsdc + is.slippageUsdc - was.slippageUsdc,
    comparedShares: sum.comparedShares + is.comparedShares - was.comparedShares,
    liveFeesUsdc: sum.liveFeesUsdc + is.liveFeesUsdc - was.liveFeesUsdc,
    paperFeesUsdc: sum.paperFeesUsdc + is.paperFeesUsdc - was.paperFeesUsdc,
    liveRealisedUsdc: sum.liveRealisedUsdc + is.liveRealisedUsdc - was.liveRealisedUsdc,
    paperRealisedUsdc: sum.paperRealisedUsdc + is.paperRealisedUsdc - was.paperRealisedUsdc,
  };
}

/** USDC paid for real beyond what paper paid a share; null unless both bought. */
export function slippageOf({ live, paper }: Pair): number | null {
  if (live.shares <= 0 || paper === null || paper.shares <= 0) return null;
  return live.usdc - mulDiv(paper.usdc, live.shares, paper.shares, 'floor');
}

function partOf(pair: Pair): Comparison {
  const { live } = pair;
  const paper = pair.paper ?? NOTHING;
  const slippage = slippageOf(pair);
  return {
    entries: 1,
    liveFilled: live.shares > 0 ? 1 : 0,
    paperFilled: paper.shares > 0 ? 1 : 0,
    bothFilled: slippage === null ? 0 : 1,
    slippageUsdc: slippage ?? 0,
    comparedShares: slippage === null ? 0 : live.shares,
    liveFeesUsdc: live.feesUsdc,
    paperFeesUsdc: paper.feesUsdc,
    liveRealisedUsdc: live.realisedUsdc,
    paperRealisedUsdc: paper.realisedUsdc,
  };
}
