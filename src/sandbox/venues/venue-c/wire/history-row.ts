import type { OutcomeIndex } from '../../../../domain/market.ts';
import type { VenueMarket } from '../model/market.ts';
import { formatted } from './replies.ts';

/** A row as it is sent. */
export type HistoryRow = ReturnType<typeof historyRow>;

/** A row of the history, and of the trades with pools (venue_c.md section 10); micros. */
export function historyRow(
  market: VenueMarket,
  own: {
    readonly atMs: number;
    readonly outcome: OutcomeIndex;
    readonly shares: number;
    readonly usdc: number;
    /** 0 to 1. */
    readonly price: number;
    /** Such as `Market Buy`. */
    readonly strategy: string;
    readonly txHash: string | null;
  },
) {
  const amounts = [0, 0];
  amounts[own.outcome] = own.shares;
  return {
    blockTimestamp: Math.floor(own.atMs / 1000),
    collateralAmount: formatted(own.usdc),
    collateralSymbol: 'USDC',
    market: {
      id: market.id,
      slug: market.slug,
      title: market.title,
      closed: false,
      condition_id: market.conditionId,
      conditionId: market.conditionId,
      collateral: { symbol: 'USDC', decimals: 6 },
      group: null,
      expirationDate: iso(market.endsAtMs),
    },
    outcomeIndex: own.outcome,
    outcomeTokenAmount: formatted(own.shares),
    outcomeTokenAmounts: amounts.map(formatted),
    outcomeTokenPrice: String(own.price),
    strategy: own.strategy,
    transactionHash: own.txHash,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
