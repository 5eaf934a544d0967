import type { BookLevel } from '../../domain/book.ts';
import type { Address, MarketId, OrderId, TokenId, TradeId } from '../../domain/ids.ts';
import type { AccountName } from '../exchange/accounts.ts';
import type { FeeSchedule, OutcomeIndex } from '../../domain/market.ts';
import type { TradeSide } from '../../domain/order.ts';
import type { TimeInForce } from '../../domain/time-in-force.ts';
import type { PriceTicks, ShareMicros, UsdcMicros } from '../../domain/units.ts';

/** A market of the model venue as the matching engine knows it. */
export interface ExchangeMarket {
  readonly marketId: MarketId;
  readonly tokens: readonly [TokenId, TokenId];
  readonly labels: readonly [string, string];
  readonly slug: string;
  /** Short name of its event; the market's own unless stated. */
  readonly eventSlug?: string;
  readonly question: string;
  readonly tickSize: PriceTicks;
  readonly minSize: ShareMicros;
  readonly negRisk: boolean;
  readonly fee: FeeSchedule | null;
  readonly takerDelayMs: number;
  /** Orders are accepted from here to `endsAtMs`. */
  readonly opensForOrdersAtMs: number;
  readonly endsAtMs: number;
}

/** An order after its wire checks: amounts in micros, price derived from them. */
export interface EngineOrder {
  readonly orderId: OrderId;
  readonly maker: Address;
  /** API key that owns it; a market maker has its own name. */
  readonly owner: string;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly timeInForce: TimeInForce | 'GTC';
  readonly price: PriceTicks;
  readonly makerMicros: number;
  readonly takerMicros: number;
  /** Stated end of a GTD order, market time; null for any other. */
  readonly expiresAtMs: number | null;
  /** The same as its owner wrote it: seconds of the owner's clock; absent without one. */
  readonly expiration?: string;
  readonly postOnly: boolean;
  /**
   * What its owner signed beside maker, token, side and amounts; a market maker's orders are signed
   * when they settle.
   */
  readonly signed?: SignedTerms;
}

/**
 * The rest of a signed order (venue_a.md section 5.1). Whole numbers are decimal text, bytes 0x
 * hex.
 */
interface SignedTerms {
  readonly salt: string;
  readonly signer: string;
  readonly signatureType: 0 | 1 | 2 | 3;
  readonly timestamp: string;
  readonly metadata: string;
  readonly builder: string;
  readonly signature: string;
}

/** What the engine answers to an order. `reason` is the venue's exact text. */
export type EngineAnswer =
  | { readonly kind: 'rejected'; readonly status: number; readonly reason: string }
  | { readonly kind: 'live' }
  | { readonly kind: 'delayed' }
  | {
      readonly kind: 'matched';
      readonly makingMicros: number;
      readonly takingMicros: number;
      readonly tradeIds: readonly TradeId[];
    };

/** The status of an order, in the venue's words. */
export type OrderWord =
  | 'LIVE'
  | 'MATCHED'
  | 'DELAYED'
  | 'CANCELED'
  | 'CANCELED_MARKET_RESOLVED'
  | 'INVALID';

/** An order as the venue remembers it at one moment. */
export interface OrderView {
  readonly order: EngineOrder;
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
  readonly status: OrderWord;
  /** Why it ended, in the venue's words; null while it has not or when nothing was said. */
  readonly reason: string | null;
  /** Shares asked for; the USDC budget of a FOK or FAK buy. */
  readonly originalMicros: number;
  readonly matchedShares: ShareMicros;
  readonly tradeIds: readonly TradeId[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** One maker's part of a trade. */
export interface MakerPart {
  readonly orderId: OrderId;
  readonly owner: string;
  readonly maker: Address;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
}

/** A trade on its way to finality. */
export interface EngineTrade {
  readonly tradeId: TradeId;
  readonly marketId: MarketId;
  readonly takerOrderId: OrderId;
  readonly takerOwner: string;
  readonly taker: Address;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly shares: ShareMicros;
  /** Average price the taker got, rounded to a tick of 0.0001. */
  readonly price: PriceTicks;
  readonly fee: UsdcMicros;
  readonly makers: readonly MakerPart[];
  /** Position among the trades one match was split into. */
  readonly bucketIndex: number;
  readonly status: 'MATCHED' | 'MINED' | 'CONFIRMED' | 'RETRYING' | 'FAILED';
  readonly transactionHash: string | null;
  readonly matchedAtMs: number;
  readonly updatedAtMs: number;
}

/**
 * What the engine says happened, in order. Sockets, the data interface and the market makers
 * listen.
 */
export type ExchangeEvent =
  /**
   * New absolute size of a level of the market's first token; the second token's mirror is implied
   * (buy at p = sell at 1 − p).
   */
  | {
      readonly kind: 'level';
      readonly marketId: MarketId;
      readonly tokenId: TokenId;
      readonly side: TradeSide;
      readonly price: PriceTicks;
      readonly size: ShareMicros;
    }
  | { readonly kind: 'trade'; readonly trade: EngineTrade }
  | {
      readonly kind: 'order';
      readonly type: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION';
      readonly orderId: OrderId;
      readonly owner: string;
      readonly status: string;
      readonly order: OrderView;
    }
  | {
      readonly kind: 'tick_size';
      readonly marketId: MarketId;
      readonly from: PriceTicks;
      readonly to: PriceTicks;
    }
  | { readonly kind: 'market_listed'; readonly market: ExchangeMarket }
  | {
      readonly kind: 'market_resolved';
      readonly marketId: MarketId;
      readonly payoutTicks: readonly [number, number];
    }
  | ({ readonly kind: 'market_retired' } & RetiredMarket);

/** A market the venue keeps no more, who held its tokens until then, and users' orders in it. */
export interface RetiredMarket {
  readonly market: ExchangeMarket;
  readonly payoutTicks: readonly [number, number];
  readonly holders: readonly { readonly account: AccountName; readonly tokenId: TokenId }[];
  readonly orders: readonly OrderId[];
}

/**
 * The model venue: accounts, books, matching in three ways, settlement. Pure but for the clock and
 * the seeded chance it is given. Calls of the model itself (market makers, the faucet, the
 * resolver) skip signatures; wire calls come in through the servers.
 */
export interface Exchange {
  listMarket(market: ExchangeMarket): void;
  market(marketId: MarketId): ExchangeMarket | null;
  marketOfToken(tokenId: TokenId): ExchangeMarket | null;
  /** Ends trading and pays winning shares one collateral each (or as the payouts say). */
  resolve(marketId: MarketId, payoutTicks: readonly [number, number]): void;
  deposit(address: Address, usdc: UsdcMicros): void;
  balanceOf(address: Address): UsdcMicros;
  sharesOf(address: Address, tokenId: TokenId): ShareMicros;
  place(order: EngineOrder): EngineAnswer;
  cancel(
    owner: string,
    orderId: OrderId,
  ): { readonly cancelled: true } | { readonly cancelled: false; readonly reason: string };
  /** Both sides of a token, best first, mirror included. */
  book(tokenId: TokenId): {
    readonly bids: readonly BookLevel[];
    readonly asks: readonly BookLevel[];
  };
  lastTradePrice(tokenId: TokenId): PriceTicks | null;
  subscribe(listener: (event: ExchangeEvent) => void): () => void;
}
