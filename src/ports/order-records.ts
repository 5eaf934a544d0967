import type { TokenId, UserId, OrderId } from '../domain/ids.ts';
import type { Market, OutcomeIndex } from '../domain/market.ts';
import type { OrderIntent, SignedAttempt } from '../domain/order.ts';
import type { PartialList } from './order-gateway.ts';

/** An order as a venue or its chain has it on record. */
export interface RecordedOrder
  extends Pick<
    OrderIntent,
    | 'side'
    | 'isRedemption'
    | 'life'
    | 'price'
    | 'spendMicros'
    | 'receiveMicros'
    | 'exact'
    | 'createdAtMs'
    | 'expiresAtMs'
  > {
  /** Its names there, and what answers about it are read by. Nothing is to be sent. */
  readonly attempt: SignedAttempt;
  readonly market: Market;
  readonly outcome: OutcomeIndex;
  readonly tokenId: TokenId;
}

/** What is known here of a user. */
export interface KnownOrders {
  has(orderId: OrderId): boolean;
  /** Tokens of the outcomes the books have. */
  readonly tokens: readonly TokenId[];
}

/** What a venue and its chain have on record of users' orders, whoever keeps them here. */
export interface OrderRecords {
  /**
   * Orders of the user's account that rest, or were traded at or after `sinceMs`, and that are not
   * known here. One that is not final yet, or of which not enough is on record, is `unread`.
   * Errors: `venue_unavailable`, `venue_protocol`, `chain_unavailable`.
   */
  strangers(
    userId: UserId,
    sinceMs: number,
    known: KnownOrders,
  ): Promise<PartialList<RecordedOrder>>;
}
