import type { TradeSide } from '../../../../domain/order.ts';

/** What a trade has changed of a position; micros, its fee taken off. */
interface Change {
  readonly side: TradeSide;
  readonly shares: number;
  readonly usdc: number;
}

/** A position by average cost; micros. */
interface AverageCost {
  readonly shares: number;
  readonly cost: number;
  readonly realised: number;
}

/** Adds up the trades of one outcome, oldest first. */
export function averageCost(changes: readonly Change[]): AverageCost {
  return changes.reduce<AverageCost>(
    ({ shares, cost, realised }, own) => {
      if (own.side === 'buy')
        return { shares: shares + own.shares, cost: cost + own.usdc, realised };
      const left = Math.max(0, shares - own.shares);
      const costLeft = shares === 0 ? 0 : Math.round((cost * left) / shares);
      return { shares: left, cost: costLeft, realised: realised + own.usdc - (cost - costLeft) };
    },
    { shares: 0, cost: 0, realised: 0 },
  );
}
