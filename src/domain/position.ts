import type { CashAccount } from './cash.ts';
import type { AgentId, MarketId, TokenId, UserId } from './ids.ts';
import type { OutcomeIndex } from './market.ts';
import type { ShareMicros, UsdcMicros } from './units.ts';

/**
 * Life of a position (design.md section 4). `removed`: its shares left the Safe past
 * this service, so there is nothing to redeem.
 */
export type PositionState =
  | 'open'
  | 'closing'
  | 'closed'
  | 'resolved'
  | 'redeeming'
  | 'redeemed'
  | 'lost'
  | 'removed';

/**
 * A user's holding of one outcome token, kept per fill and resolution. Shares and money follow the
 * ledger.
 */
export interface PositionRecord {
  readonly userId: UserId;
  /** Of its fills; where what its market pays goes. */
  readonly cashAccount: CashAccount;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly outcome: OutcomeIndex;
  readonly question: string;
  /** As of its market. */
  readonly eventTitle?: string;
  readonly outcomeLabel: string;
  /** Agent whose order opened it; null when opened manually. */
  readonly agentId: AgentId | null;
  readonly state: PositionState;
  /** Shares held now, provisional ones included. */
  readonly shares: ShareMicros;
  /** USDC paid for the shares held now, fees included. */
  readonly costUsdc: UsdcMicros;
  /** Profit or loss of what was sold or paid out, fees included. */
  readonly realizedPnl: UsdcMicros;
  /** Of its trades, with the worth of what was kept in shares. */
  readonly feesUsdc: UsdcMicros;
  readonly openedAtMs: number;
  readonly endsAtMs: number;
  readonly closedAtMs: number | null;
  /**
   * True once shares came or went past this service, which no fill shows; absent where never.
   */
  readonly isMoved?: true;
}
