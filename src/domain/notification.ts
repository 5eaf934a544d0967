import type { StopPolicy } from './agent.ts';
import type { CashAccount } from './cash.ts';
import type { BridgeTransfer, DepositRecord } from './deposit.ts';
import type {
  TransactionId,
  Address,
  AgentId,
  IntentId,
  LaunchId,
  MarketId,
  RegistryEntryId,
  SwapId,
  TokenId,
  TradeId,
  UserId,
} from './ids.ts';
import type { LaunchState } from './launch.ts';
import type { LedgerAsset } from './ledger.ts';
import type { TradeSide } from './order.ts';
import type { RegistryState } from './registry.ts';
import type { SwapState } from './swap.ts';
import type { ShareMicros, UsdcMicros } from './units.ts';
import type { Web3ChainId } from './web3-chains.ts';

/** Who stops the trading of one user, or lets it go on: two stops, each lifted by who set it. */
export type StoppedBy = 'operator' | 'user';

/** An agent that was stopped together with others. */
export interface AgentStop {
  readonly agentId: AgentId;
  readonly policy: StopPolicy;
  /** Orders and positions that it had then; absent of stops before November 29, 2026. */
  readonly openOrders?: number;
  readonly positions?: number;
}

/** What a stop of a user's trading found. */
export interface FoundByStop {
  readonly openBuys: number;
  readonly areCancelled: boolean;
  readonly positions: number;
}

/** A market in a notification, in the venue's words. */
export interface NotificationMarket {
  readonly marketId: MarketId;
  readonly question: string;
  /** As of its market. */
  readonly eventTitle?: string;
  readonly outcomeLabel: string;
}

/**
 * What a notification tells. One `trade` is one order that was filled, of an agent or placed
 * manually (`agentId` and `purpose` null): its first fill makes the notification, and no further
 * fill of the order makes another. A resting order placed manually that ends though its user did
 * not ask for it is notified as expired or cancelled, and whatever order placed manually ended
 * without a trade after its caller was answered that it is open or unknown, as cancelled or
 * rejected.
 */
export type NotificationFacts =
  | ({
      readonly kind: 'trade';
      readonly agentId: AgentId | null;
      readonly purpose: 'entry' | 'exit' | null;
      readonly intentId: IntentId;
      readonly side: TradeSide;
      /** Of the first fill; the order holds what came of it in all. */
      readonly shares: ShareMicros;
      readonly usdc: UsdcMicros;
      readonly fee: UsdcMicros;
      /** Set where the venue kept so many of the shares as its fee. */
      readonly feeShares?: ShareMicros;
    } & NotificationMarket)
  | ({
      readonly kind: 'order_expired' | 'order_cancelled' | 'order_rejected';
      readonly intentId: IntentId;
      readonly side: TradeSide;
      /** Filled of the shares that were ordered. */
      readonly filledShares: ShareMicros;
      readonly shares: ShareMicros;
      /** The venue's words, where it gave some; of one that was rejected also ours. */
      readonly reason: string | null;
    } & NotificationMarket)
  | ({
      readonly kind: 'trade_reversed';
      readonly intentId: IntentId;
      readonly tradeId: TradeId;
      readonly side: TradeSide;
      readonly shares: ShareMicros;
      readonly usdc: UsdcMicros;
    } & NotificationMarket)
  | ({
      readonly kind: 'position_redeemed' | 'position_lost' | 'position_removed';
      readonly agentId: AgentId | null;
      readonly tokenId: TokenId;
      readonly realizedPnl: UsdcMicros;
      /** What was paid for its shares; absent of others than redeemed, and before December 2026. */
      readonly paidUsdc?: UsdcMicros;
    } & NotificationMarket)
  | ({
      readonly kind: 'shares_arrived' | 'shares_departed';
      readonly agentId: AgentId | null;
      readonly tokenId: TokenId;
      readonly shares: ShareMicros;
      readonly cashAccount: CashAccount;
      /** Null where no transaction is known. */
      readonly transactionHash: string | null;
    } & NotificationMarket)
  /** A payment to a deposit address that is not credited, and is not expected to be. */
  | ({
      readonly kind: 'deposit_failed';
    } & Pick<DepositRecord, 'depositId' | 'address' | 'state' | 'problem'> &
      Pick<BridgeTransfer, 'chainId' | 'tokenAddress' | 'amount'>)
  | ({
      readonly kind: 'payout_taken_back';
      readonly agentId: AgentId | null;
      readonly tokenId: TokenId;
      readonly cashAccount: CashAccount;
      readonly usdc: UsdcMicros;
      readonly transactionHash: string | null;
    } & NotificationMarket)
  | {
      readonly kind:
        | 'deposit_booked'
        | 'deposit_taken_back'
        | 'money_departed'
        | 'departure_taken_back';
      readonly usdc: UsdcMicros;
      /** Which of the user's wallets. */
      readonly cashAccount: CashAccount;
      /** Null where no transaction is known; absent of what was made before November 29, 2026. */
      readonly transactionHash?: string | null;
    }
  /**
   * `token` is the address of what the owner gets, or gave; `reason` says why it failed, or what
   * came short.
   */
  | {
      readonly kind:
        | 'withdrawal_settled'
        | 'withdrawal_returned'
        | 'transfer_settled'
        | 'transfer_failed';
      readonly transactionId: TransactionId;
      readonly usdc: UsdcMicros;
      readonly token: Address;
      readonly reason: string | null;
      readonly transactionHash: string | null;
    }
  /** What left one of the user's own wallets for another person, or did not. */
  | {
      readonly kind: 'send_settled' | 'send_failed';
      readonly transactionId: TransactionId;
      readonly chain: Web3ChainId;
      readonly symbol: string;
      /** Decimal text. */
      readonly amount: string;
      readonly to: string;
      readonly reason: string | null;
      readonly transactionHash: string | null;
    }
  /** How a swap or bridge between the user's own wallets ended. */
  | {
      readonly kind: 'swap_ended';
      readonly swapId: SwapId;
      readonly state: SwapState;
      readonly from: Web3ChainId;
      readonly to: Web3ChainId;
      /** Decimal text, and what it is of. */
      readonly sold: string;
      readonly sellSymbol: string;
      /** Null where nothing is proven to have arrived. */
      readonly received: string | null;
      readonly buySymbol: string;
      readonly reason: string | null;
    }
  /** How the launch of a token of the user's own ended. */
  | {
      readonly kind: 'launch_ended';
      readonly launchId: LaunchId;
      readonly state: Exclude<LaunchState, 'queued'>;
      readonly name: string;
      readonly symbol: string;
      readonly mint: string;
      readonly reason: string | null;
    }
  /** How an entry of the user's in the agent registry, or feedback they left there, ended. */
  | {
      readonly kind: 'registry_ended';
      readonly entryId: RegistryEntryId;
      readonly state: Exclude<RegistryState, 'queued'>;
      /** Which agent an entry is of; null for feedback. */
      readonly agentId: AgentId | null;
      readonly asset: string;
      readonly reason: string | null;
    }
  /** A coin or a token came to one of the user's own wallets. */
  | {
      readonly kind: 'token_arrived';
      readonly chain: Web3ChainId;
      /** Address of the token; null for the chain's own coin. */
      readonly token: string | null;
      readonly symbol: string;
      /** Decimal text. */
      readonly amount: string;
      readonly transactionHash: string | null;
    }
  | {
      readonly kind: 'funds_disputed' | 'funds_agreed';
      readonly asset: LedgerAsset;
      readonly refusals: number;
      readonly reason: string;
      readonly retryAtMs: number;
    }
  | { readonly kind: 'agents_stopped'; readonly agents: readonly AgentStop[] }
  | { readonly kind: 'agent_wound_up'; readonly agentId: AgentId; readonly policy: StopPolicy }
  | {
      readonly kind: 'trading_stopped';
      readonly by: StoppedBy;
      readonly reason: string;
      /** Absent of what was made before November 29, 2026. */
      readonly found?: FoundByStop;
    }
  | {
      readonly kind: 'trading_resumed';
      readonly by: StoppedBy;
      readonly reason: string;
      /** Whose stop goes on all the same; nothing is bought until none does. */
      readonly stillStoppedBy: readonly StoppedBy[];
      /** Agents that were enabled once and are not; absent where there are none. */
      readonly agentsOff?: readonly AgentId[];
    }
  /** An assistant waits for its person's word. */
  | {
      readonly kind: 'confirmation_asked';
      readonly confirmationId: string;
      readonly side: TradeSide;
      readonly usdc: UsdcMicros;
      readonly shares: ShareMicros;
      readonly expiresAtMs: number;
      /** Absent of what was asked before November 29, 2026. */
      readonly market?: NotificationMarket;
    }
  /** `key` is its name and what it may do. */
  | { readonly kind: 'key_created'; readonly keyId: string; readonly key: string }
  | { readonly kind: 'key_export_asked'; readonly phone: string }
  | { readonly kind: 'key_exported'; readonly wallet: string; readonly address: string | null };

/** Every kind of notification. */
export type NotificationKind = NotificationFacts['kind'];

/**
 * How many of a notification's messages to browsers wait, were taken by a push service, or were
 * given up.
 */
export interface PushCounts {
  readonly waiting: number;
  readonly sent: number;
  readonly dropped: number;
}

/** The durable record of one notification of a user. */
export interface NotificationRecord {
  readonly userId: UserId;
  /** 1 for a user's first, then one more each: the order of the list, and its name as "ntf_1". */
  readonly number: number;
  readonly atMs: number;
  readonly facts: NotificationFacts;
  readonly push: PushCounts;
}

/** Name of a notification among its user's. */
export function notificationId(number: number): string {
  return `ntf_${number}`;
}
