import type { OrderId } from '../../../../domain/ids.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import type { TradeSide } from '../../../../domain/order.ts';
import type { Resting } from '../../../exchange/matching-book.ts';

/** How long an order lives: until filled, what is there at once, all at once or nothing. */
export type OrderType = 'GTC' | 'FAK' | 'FOK';

/** Own orders that meet: which of the two goes. */
export type SelfTradePolicy = 'cancel_maker' | 'cancel_taker' | 'cancel_both';

/** An order as its owner signed it (venue_c.md section 8.1); token ids are decimal text. */
export interface SignedOrder {
  readonly salt: number;
  readonly maker: string;
  readonly signer: string;
  readonly taker: string;
  readonly tokenId: string;
  readonly makerAmount: number;
  readonly takerAmount: number;
  readonly expiration: string;
  readonly nonce: number;
  readonly feeRateBps: number;
  readonly side: 0 | 1;
  readonly signatureType: number;
  readonly signature: string;
}

/** Number of the market maker among the profiles: no user has it. */
export const MAKER_ID = 0;

/** What an order asks for, after its wire checks. */
export interface OrderTerms {
  readonly clientOrderId: string | null;
  /** Profile it belongs to; MAKER_ID for the market maker. */
  readonly ownerId: number;
  readonly account: string;
  readonly slug: string;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  readonly type: OrderType;
  /** Worst price of its token, ticks; a FOK's is the end of the scale. */
  readonly price: number;
  /** Shares, or the dollars a FOK buy spends; micros. */
  readonly originalMicros: number;
  readonly postOnly: boolean;
  readonly selfTrade: SelfTradePolicy;
  /** Null for the market maker's, which are signed when they settle. */
  readonly signed: SignedOrder | null;
}

/** What has become of an order. */
type OrderStatus = 'LIVE' | 'DELAYED' | 'MATCHED' | 'CANCELED' | 'KILLED';

/** An order the venue has taken: plain JSON. Only the exchange changes it. */
export interface VenueOrder extends OrderTerms, Resting {
  readonly orderId: OrderId;
  status: OrderStatus;
  matchedShares: number;
  matchedUsdc: number;
  /** Trades it took part in, oldest first. */
  tradeIds: string[];
  readonly createdAtMs: number;
  updatedAtMs: number;
}

/** One order's part in a trade; micros. */
export interface TradePart {
  /** Of the match, a UUID. */
  readonly matchId: string;
  readonly orderId: OrderId;
  readonly ownerId: number;
  readonly account: string;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  readonly price: number;
  readonly shares: number;
  readonly usdc: number;
}

/** How far a trade is: FAILED means that it is undone. */
export type SettlementStatus = 'MATCHED' | 'RETRYING' | 'MINED' | 'CONFIRMED' | 'FAILED';

/** A match of one taker with makers: plain JSON. */
export interface VenueTrade {
  readonly tradeId: string;
  readonly slug: string;
  readonly taker: TradePart;
  readonly makers: readonly TradePart[];
  /** The taker's: a buyer's in shares, a seller's in dollars, micros. */
  readonly feeShares: number;
  readonly feeUsdc: number;
  readonly effectiveFeeBps: number;
  /** How it is to end: drawn when it is made. */
  readonly course: 'settles' | 'retries' | 'fails';
  status: SettlementStatus;
  txHash: string | null;
  readonly createdAtMs: number;
  updatedAtMs: number;
}

/** True where a user takes part. */
export function isUsers({ taker, makers }: VenueTrade): boolean {
  return [taker, ...makers].some(({ ownerId }) => ownerId !== MAKER_ID);
}

/** True while nothing more can become of it. */
export function isFinal({ status }: Pick<VenueTrade, 'status'>): boolean {
  return status === 'CONFIRMED' || status === 'FAILED';
}
