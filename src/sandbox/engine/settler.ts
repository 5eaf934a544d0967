import type { MarketId, TokenId, TradeId } from '../../domain/ids.ts';
import type { EngineOrder, EngineTrade } from './exchange-types.ts';

/** What a match takes of one order: `usdc` is what its owner pays (buy) or gets (sell), micros. */
export interface SettledPart {
  readonly order: EngineOrder;
  readonly shares: number;
  readonly usdc: number;
}

/** A trade to be settled outside the model. Plain JSON, kept with the trade until it is final. */
export interface SettlementJob {
  readonly tradeId: TradeId;
  readonly marketId: MarketId;
  readonly negRisk: boolean;
  /** How it is to end: a fault may want a transaction that reverts, once or for good. */
  readonly result: 'settles' | 'retries' | 'fails';
  readonly taker: SettledPart;
  readonly makers: readonly SettledPart[];
  /** Of the taker, micros of collateral. */
  readonly fee: number;
}

/**
 * Settles trades of users in the model's place: on a chain. Without one the model's own times
 * settle them. It receives each trade when it is made and again after a restart while it is not
 * final, and must act once.
 */
export interface Settler {
  settle(job: SettlementJob, status: EngineTrade['status']): void;
}

/** What became of a trade outside, reported back to the model. */
export interface TradeStatus {
  readonly tradeId: TradeId;
  readonly status: Exclude<EngineTrade['status'], 'MATCHED'>;
  readonly transactionHash: string | null;
}

/** A balance as the chain has it, micros. */
export interface ChainBalance {
  readonly account: string;
  readonly holding: 'usdc' | TokenId;
  readonly micros: number;
}

/** Collateral or shares that came or went without a trade. */
export interface ChainMovement {
  readonly kind: 'DEPOSIT' | 'WITHDRAWAL' | 'REDEEM';
  readonly account: string;
  readonly usdcMicros: number;
  readonly sharesMicros: number;
  readonly tokenId: TokenId | null;
  readonly transactionHash: string;
}

/** What some blocks changed: trades first, so that the balances after them need no explanation. */
export interface ChainNews {
  readonly words: readonly TradeStatus[];
  readonly balances: readonly ChainBalance[];
  readonly movements: readonly ChainMovement[];
}
