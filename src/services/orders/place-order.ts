import type { MarketId, UserId, VenueId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type {
  ImmediateLife,
  OrderAmount,
  OrderIntent,
  OrderOrigin,
  TradeSide,
} from '../../domain/order.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';

/** Caps a caller holds an order to, checked and reserved in the order's own transaction (L5). */
type OrderLimits = RiskCaps;

/**
 * A request to trade as callers state it. `side` is the direction on the chosen outcome's own
 * token.
 */
export interface PlaceOrder {
  readonly venue: VenueId;
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  /**
   * A market buy is sized in USDC or shares, a market sell in shares or USDC, a limit order in
   * either; in micros.
   */
  readonly amount: OrderAmount;
  readonly type: /** `worstPrice`: a buy pays no more, a sale takes no less; absent, what the book asks and a little beyond. `life`: absent, `defaultLife`. */
    | {
        readonly kind: 'market';
        readonly worstPrice?: PriceTicks;
        readonly life?: ImmediateLife;
      }
    /**
     * `expiresAtMs` null takes ORDER.limitLifeDefaultMs, or none where it rests until it is
     * cancelled.
     */
    | {
        readonly kind: 'limit';
        readonly price: PriceTicks;
        /** The price as it was asked for, where that was in whole cents. */
        readonly cents?: number;
        readonly expiresAtMs: number | null;
        readonly untilCancelled?: boolean;
      }
    /** Gives shares that won for a dollar each, at a venue that pays by orders. */
    | { readonly kind: 'redemption' };
  readonly origin: OrderOrigin;
  /**
   * Whether a market order's book is fetched first, for it may be unwatched; absent, that of
   * one manually: agents watch the books they decide by.
   */
  readonly fetchesBook?: boolean;
  /**
   * How long it waits for an earlier order of the user on the market that the venue holds before it
   * matches it, ms of wall time; absent: not at all, it is refused.
   */
  readonly fenceWaitMs?: number;
  /** The same key of the same user gives the order made for it first. */
  readonly idempotencyKey?: string;
  /** When the agent judged whose order it is, market time; absent for a manual one. */
  readonly judgedAtMs?: number;
  /** Where the caller's own trace goes on, as they sent it; read only where orders are traced. */
  readonly traceparent?: string;
  /** What the caller calls the order, shown with it. */
  readonly clientOrderId?: string;
  /** Over all that the user has at risk, beside the caps of the operator and the user's own. */
  readonly limits?: OrderLimits;
  /**
   * Over what the agent the order comes from has at risk (`agentRiskOf`), as they stand in the
   * order's own transaction; none bind a manual order.
   */
  readonly agentLimits?: (reader: StoreReader) => OrderLimits;
  /**
   * Runs in the order's own transaction, before its facts: what must be stored with the order or
   * not at all, such as the receipt of the decision behind it (L11). Not run for an order that was
   * made before under the same key.
   */
  readonly alongside?: (tx: StoreWriter, intent: OrderIntent) => void;
}

/** Why what becomes of a user's orders is not known just now. */
export interface StreamProblem {
  /**
   * The channel is down and trades cannot be read either; or it is up, and what it may have lost
   * has not been read for long.
   */
  readonly code: 'user_stream_blind' | 'trades_unread';
  readonly sinceMs: number;
}

/** Watches what becomes of users' orders at venues, each by itself. */
export interface UserStreams {
  /**
   * Watches the user's channel and reads again every few seconds while anything is in motion there.
   * Idempotent. Where as many users are watched at a venue as may be, the longest idle one makes
   * room; while none is idle the user waits, blind, for the first that ends.
   */
  activate(userId: UserId, venue: VenueId): void;
  /**
   * What keeps us from knowing what becomes of the user's orders; null when nothing does, or
   * nothing of theirs is in motion.
   */
  problem(userId: UserId, venue: VenueId): StreamProblem | null;
  /** Reports users whose problem has begun, changed or ended. Gives what ends it. */
  listen(listener: (userId: UserId, venue: VenueId) => void): () => void;
}
