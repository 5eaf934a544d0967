import type { CashAccount } from './cash.ts';
import type { ToolCallRecord } from './tool-call.ts';
import type { AgentRecord, DecisionRecord, SignalReceipt, StopPolicy } from './agent.ts';
import type { DepositRecord, DepositState } from './deposit.ts';
import type { FillRecord } from './fill.ts';
import type { FundsDispute } from './funds-dispute.ts';
import type {
  AgentId,
  Address,
  AttemptId,
  IntentId,
  MarketId,
  OrderId,
  TradeId,
  UserId,
  VenueId,
} from './ids.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Resolution } from './market.ts';
import type { AgentStop, NotificationRecord, StoppedBy } from './notification.ts';
import type { OrderIntent, OrderState } from './order.ts';
import type { PositionRecord } from './position.ts';
import type { LaunchRecord, LaunchState } from './launch.ts';
import type { RegistryRecord, RegistryState } from './registry.ts';
import type { SwapRecord, SwapState } from './swap.ts';
import type { TokenArrival } from './token-arrival.ts';
import type { TransactionRecord, TransactionState } from './transaction.ts';
import type { UsdcMicros } from './units.ts';

/** What is remembered of sign-ins, sessions, keys and secrets. */
export type AuditAction =
  | 'signed_in'
  | 'signed_out'
  | 'refresh_reused'
  | 'username_set'
  | 'identity_linked'
  | 'api_key_created'
  | 'api_key_revoked'
  | 'api_key_deleted'
  | 'confirmation_asked'
  | 'confirmation_given'
  | 'confirmation_refused'
  | 'push_subscribed'
  | 'push_unsubscribed'
  | 'key_export_asked'
  | 'key_export_refused'
  | 'key_exported'
  | 'removal_asked'
  | 'account_removed'
  | 'agents_stopped'
  | 'limits_changed'
  | 'notifications_chosen'
  | 'deposit_ended'
  | 'deposit_taken_back'
  | 'departure_taken_back'
  | 'deposit_unproven'
  | 'withdrawal_requested'
  | 'withdrawal_refused'
  | 'withdrawal_ended'
  | 'claim_requested'
  | 'claim_ended'
  | 'claim_undone'
  | 'shares_gone'
  | 'shares_arrived'
  | 'transfer_requested'
  | 'transfer_refused'
  | 'transfer_ended'
  | 'send_requested'
  | 'send_refused'
  | 'send_ended'
  | 'send_undone'
  | 'swap_requested'
  | 'swap_sent'
  | 'swap_undone'
  | 'swap_right_left'
  | 'launch_requested'
  | 'launch_ended'
  | 'registry_requested'
  | 'registry_ended'
  | 'wrap_started'
  | 'wrap_ended'
  | 'money_departed'
  | 'order_adopted'
  | 'user_moved';

/**
 * Facts, in the order they were committed. The journal holds them; the bus tells them after the
 * commit.
 */
export type DomainEvent =
  | {
      readonly type: 'user.created';
      readonly userId: UserId;
      readonly atMs: number;
      readonly address: Address;
    }
  /**
   * Who did what to an account, from where. `subject` and `detail` hold ids, names and masked text,
   * never secrets; `origin` is a keyed digest of the address, null inside the service.
   */
  | {
      readonly type: 'audit.recorded';
      readonly userId: UserId;
      readonly atMs: number;
      readonly action: AuditAction;
      readonly subject: string;
      readonly detail: string | null;
      readonly origin: string | null;
    }
  /** A swap or bridge between a user's own wallets came to another state. */
  | {
      readonly type: 'swap.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly from: SwapState | null;
      readonly swap: SwapRecord;
    }
  /** A launch of a token came to another state. */
  | {
      readonly type: 'launch.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly from: LaunchState | null;
      readonly launch: LaunchRecord;
    }
  /** An entry in the agent registry, or feedback left there, came to another state. */
  | {
      readonly type: 'registry.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly from: RegistryState | null;
      readonly record: RegistryRecord;
    }
  /** A coin or a token came to a user's own wallet. */
  | {
      readonly type: 'token.arrived';
      readonly userId: UserId;
      readonly atMs: number;
      readonly arrival: TokenArrival;
    }
  /** An assistant used a tool with an API key. */
  | ({ readonly type: 'tool.called' } & ToolCallRecord)
  | {
      readonly type: 'order.intended';
      readonly userId: UserId;
      readonly atMs: number;
      readonly intent: OrderIntent;
    }
  | {
      readonly type: 'order.signed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly intentId: IntentId;
      readonly attemptId: AttemptId;
      /**
       * The attempt before it, and the proof that that one can never land; absent for the first.
       */
      readonly follows?: { readonly attemptId: AttemptId; readonly proof: string | null };
    }
  | {
      readonly type: 'order.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly intentId: IntentId;
      readonly from: OrderState;
      readonly to: OrderState;
      readonly reason: string | null;
    }
  | {
      readonly type: 'fill.recorded';
      readonly userId: UserId;
      readonly atMs: number;
      readonly fill: FillRecord;
    }
  | {
      readonly type: 'fill.settled';
      readonly userId: UserId;
      readonly atMs: number;
      readonly tradeId: TradeId;
      readonly orderId: OrderId;
      readonly transactionHash: string | null;
    }
  | {
      readonly type: 'fill.reversed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly tradeId: TradeId;
      readonly orderId: OrderId;
    }
  | {
      readonly type: 'ledger.posted';
      readonly userId: UserId;
      readonly atMs: number;
      readonly entry: LedgerEntry;
      /**
       * Set on a deposit that a transfer or a swap of the user brought, or a bridge gave back: they
       * are notified of that one's end, and not of the same money twice.
       */
      readonly isToldByTransfer?: true;
      /** Of the transaction that brought or took the money; absent where it is not known. */
      readonly transactionHash?: string;
    }
  /** Money that came while a swap was under way is not that one's, as it turns out. */
  | {
      readonly type: 'deposit.noticed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly cashAccount: CashAccount;
      readonly usdc: UsdcMicros;
      readonly transactionHash: string | null;
    }
  /** The venue refuses for want of funds what our ledger has, once more. */
  | {
      readonly type: 'funds.disputed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly dispute: FundsDispute;
    }
  /** It took an order again. `dispute` is the one that ended. */
  | {
      readonly type: 'funds.agreed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly dispute: FundsDispute;
    }
  | {
      readonly type: 'position.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly position: PositionRecord;
    }
  | {
      readonly type: 'market.resolved';
      readonly atMs: number;
      readonly marketId: MarketId;
      readonly resolution: Resolution;
    }
  /** `from` is null for a new one. */
  | {
      readonly type: 'transaction.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly from: TransactionState | null;
      readonly transaction: TransactionRecord;
    }
  /** `from` is null for one the bridge tells of for the first time. */
  | {
      readonly type: 'deposit.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly from: DepositState | null;
      readonly deposit: DepositRecord;
    }
  | {
      readonly type: 'agent.changed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly agent: AgentRecord;
    }
  /**
   * The user stopped all agents at once. `agents` are those that were enabled, each with what its
   * stop does.
   */
  | {
      readonly type: 'agents.stopped';
      readonly userId: UserId;
      readonly atMs: number;
      readonly agents: readonly AgentStop[];
    }
  /** What a stopped agent had open has been ended, as its policy says. */
  | {
      readonly type: 'agent.unwound';
      readonly userId: UserId;
      readonly atMs: number;
      readonly agentId: AgentId;
      readonly policy: StopPolicy;
    }
  /**
   * Too many trades at a venue fail to settle, or they settle again: the user's, or with `operator`
   * everybody's, the user being the one whose trade showed it.
   */
  | {
      readonly type: 'settlement.broke' | 'settlement.healed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly scope: 'operator' | 'user';
      readonly venue: VenueId;
    }
  /** The operator lets this user buy nothing, or does so again. */
  | {
      readonly type: 'trading.stopped' | 'trading.resumed';
      readonly userId: UserId;
      readonly atMs: number;
      readonly by: StoppedBy;
      readonly reason: string;
    }
  /** The same for everybody. */
  | {
      readonly type: 'all_trading.stopped' | 'all_trading.resumed';
      readonly atMs: number;
      readonly reason: string;
    }
  /**
   * A venue turns us away for where we are, in its words, and takes no order of anybody; or it
   * looks at orders again.
   */
  | {
      readonly type: 'venue.restricted';
      readonly atMs: number;
      readonly venue: VenueId;
      readonly reason: string;
    }
  | { readonly type: 'venue.admitted'; readonly atMs: number; readonly venue: VenueId }
  | {
      readonly type: 'decision.made';
      readonly userId: UserId;
      readonly atMs: number;
      readonly decision: DecisionRecord;
    }
  | {
      readonly type: 'agent.traded';
      readonly userId: UserId;
      readonly atMs: number;
      readonly agentId: AgentId;
      readonly marketId: MarketId;
      readonly intentId: IntentId;
    }
  /** Follows the fact it tells of in the same commit. `unread` is the user's count with it. */
  | {
      readonly type: 'notification.made';
      readonly userId: UserId;
      readonly atMs: number;
      readonly notification: NotificationRecord;
      readonly unread: number;
    }
  | {
      readonly type: 'notifications.read';
      readonly userId: UserId;
      readonly atMs: number;
      readonly upTo: number;
      readonly unread: number;
    }
  /** What happened on paper: no real order, no real money. */
  | { readonly type: 'paper.recorded'; readonly atMs: number; readonly fact: DomainEvent }
  /** A change of mind of a signal, shared by all agents of its group. */
  | { readonly type: 'signal.judged'; readonly atMs: number; readonly receipt: SignalReceipt };

/** A fact with its place in the journal: sequence numbers start at 1 and have no holes. */
export interface JournalEntry {
  readonly seq: number;
  readonly event: DomainEvent;
}
