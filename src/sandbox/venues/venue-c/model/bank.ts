import type { VenueMarket } from './market.ts';
import type { SettlementStatus, VenueTrade } from './order.ts';

/** What an account has and lets the venue's exchange take; micros. */
export interface Holdings {
  readonly usdc: number;
  readonly usdcAllowed: number;
  /** Of YES and NO. */
  readonly shares: readonly [number, number];
  readonly areSharesAllowed: boolean;
}

/** What became of a trade. */
export interface SettlementNews {
  readonly tradeId: string;
  readonly status: Exclude<SettlementStatus, 'MATCHED'>;
  readonly txHash: string | null;
}

/**
 * Where users' money is: in the venue's books, or on a chain. What open orders and trades under way
 * promise is the exchange's business.
 */
export interface Bank {
  /** Grows with every change of what accounts have: a read that saw two numbers is repeated. */
  version(): number;
  /** Errors: `chain_unavailable`. */
  read(account: string, market: VenueMarket): Promise<Holdings>;
  /** Settles a trade in which a user takes part; what becomes of it comes by `onNews`. */
  settle(trade: VenueTrade): void;
  /** Called once, before the first trade. */
  onNews(hear: (news: SettlementNews) => void): void;
  /** Takes over how a market ended: payouts of a share of YES and of NO, micros. */
  pay(market: VenueMarket, payouts: readonly [number, number]): void;
  stop(): Promise<void>;
}
