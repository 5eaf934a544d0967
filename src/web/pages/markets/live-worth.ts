import { decimalText } from '../../format/money.ts';

interface Position {
  readonly shares: string;
  readonly costUsdc: string;
  readonly currentPrice: string | null;
  readonly unrealizedPnl: string | null;
  /** Null while the market has not resolved. */
  readonly payoutPerShare: string | null;
}

/**
 * Prices a position at the best bid of the live book beside it, as the daemon does at the one that
 * it read last; a position that has ended, or without a bid here, stays as that was.
 */
export function atLiveBid(
  { shares, costUsdc, currentPrice, unrealizedPnl, payoutPerShare }: Position,
  bid: string | null,
): { readonly price: string | null; readonly profit: string | null } {
  if (bid === null || payoutPerShare !== null)
    return { price: currentPrice, profit: unrealizedPnl };
  return { price: bid, profit: decimalText(Number(shares) * Number(bid) - Number(costUsdc)) };
}
