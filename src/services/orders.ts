import type { AgentId, IntentId, MarketId, OrderId, UserId } from '../domain/ids.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { PlaceOrder } from './place-order.ts';

/** What a stop covers. */
export type StopScope = { readonly kind: 'all' } | { readonly kind: 'user'; readonly userId: UserId };

/** What a start found and did (L9). */
export interface RecoveryReport {
  readonly openOrders: number;
  readonly undecidedOrders: number;
  readonly openFills: number;
  readonly openPositions: number;
  readonly activeUsers: number;
  readonly tookMs: number;
}

/** Trading for users: the one door for hands and agents alike. */
export interface Orders {
  /**
   * Makes, signs and sends one order, and gives its record once the venue's first word is in: `live`, `delayed`,
   * `matched`, `rejected` (with the venue's reason), or `unknown` when the answer was lost and the question goes on.
   * Errors, nothing being left behind: `not_found`, `market_closed`, `market_not_ready`, `price_off_tick`,
   * `price_out_of_range`, `size_too_small`, `amount_too_small`, `book_untrusted`, `no_liquidity`, `insufficient_funds`,
   * `insufficient_shares`, `cap_exceeded`, `market_fenced`, `already_traded`, `agent_stopped`, `lock_busy`,
   * `limit_reached`, `store_unavailable`.
   */
  place(userId: UserId, request: PlaceOrder): Promise<OrderRecord>;
  /**
   * Wants the order gone, durably, and gives its record once the venue has answered the first attempt; a fill that was
   * faster wins. Errors: `not_found`; `order_not_cancellable` when it has ended or the venue holds it in its delay.
   */
  cancel(userId: UserId, intentId: IntentId): Promise<OrderRecord>;
  /** One order of this user by either id; null for nobody's and for someone else's. */
  get(userId: UserId, id: IntentId | OrderId): OrderRecord | null;
  /** Orders that are not terminal, oldest first. At most ORDER.openPerUserMaximum. */
  listOpen(userId: UserId): readonly OrderRecord[];
  /** True once the agent has traded the market, for good (L7). */
  hasTraded(userId: UserId, agentId: AgentId, marketId: MarketId): boolean;
  /** Sets or lifts a durable stop: while set nothing new is signed (L6). Resolves when it would survive a power cut. */
  setStop(scope: StopScope, stopped: boolean, reason: string): Promise<void>;
  /** Starts watching the user's venue channel and deposits, and keeps at it while anything of theirs is in motion. Idempotent. */
  onUserActive(userId: UserId): void;
  /** The only start: rebuilds what was in motion and asks the venue before anything is sent (L9). Call once, first. */
  recover(): Promise<RecoveryReport>;
  /** Ends all actors, watches and timers; what was in motion is found again by `recover`. */
  stop(): Promise<void>;
}
