import type { CashAccount } from './cash.ts';
import type {
  AgentId,
  Address,
  DecisionId,
  IntentId,
  MarketId,
  OrderId,
  TokenId,
  UserId,
  VenueId,
} from './ids.ts';
import type { OutcomeIndex } from './market.ts';
import type { PriceTicks, ShareMicros, UsdcMicros } from './units.ts';

/** Direction on the token itself. "side: no" of the API is a buy of the No token. */
export type TradeSide = 'buy' | 'sell';
/** How long a market order lives: all of it at once or nothing (FOK), or what is to be had at once (FAK) (venue_a.md section 6.2). */
export type ImmediateTimeInForce = 'FOK' | 'FAK';
/** How long a limit order lives: until it is cancelled (GTC), or until its expiry (GTD) (venue_a.md section 6.2). */
export type RestingTimeInForce = 'GTC' | 'GTD';
/** How long an order lives. */
export type TimeInForce = ImmediateTimeInForce | RestingTimeInForce;

/**
 * Returns how long an order lives whose caller did not choose: a market buy is all or nothing (FOK), a market sell takes
 * what it gets (FAK), for getting out partly beats not at all, and a limit order rests until its expiry (GTD).
 */
export function defaultTimeInForce(kind: 'market' | 'limit', side: TradeSide): TimeInForce {
  if (kind === 'limit') return 'GTD';
  return side === 'buy' ? 'FOK' : 'FAK';
}

/** Life of an order (design.md section 4). `unknown` lasts until the venue's own word decides it (L2). */
export type OrderState =
  | 'intended'
  | 'signed'
  | 'submitting'
  | 'live'
  | 'delayed'
  | 'matched'
  | 'unknown'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'rejected';

/** States an order never leaves. */
const TERMINAL_ORDER_STATES: readonly OrderState[] = ['filled', 'cancelled', 'expired', 'rejected'];

/** Who wanted the order. */
export type OrderOrigin =
  | { readonly kind: 'manual' }
  | {
      readonly kind: 'agent';
      readonly agentId: AgentId;
      readonly decisionId: DecisionId;
      readonly purpose: 'entry' | 'exit';
    };

/** What is to be traded, in venue-neutral terms, fixed once made: salt and timestamp included, so the order id is fixed too. */
export interface OrderIntent {
  readonly intentId: IntentId;
  readonly userId: UserId;
  readonly venue: VenueId;
  /** Whose USDC it spends or brings; its lock is held while it is made (L7). */
  readonly cashAccount: CashAccount;
  readonly origin: OrderOrigin;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  readonly timeInForce: TimeInForce;
  /** Worst acceptable price of a market order, the resting price of a limit order. */
  readonly price: PriceTicks;
  /** Buy: USDC paid at most. Sell: shares given. The venue's makerAmount. */
  readonly makerMicros: number;
  /** Buy: shares received at least. Sell: USDC received at least. The venue's takerAmount. */
  readonly takerMicros: number;
  readonly negRisk: boolean;
  /** Integer up to 2^53 − 1. */
  readonly salt: number;
  readonly createdAtMs: number;
  /** When a GTD order ends, epoch ms as meant by us (the wire adds the venue's safety minute); null for all others. */
  readonly expiresAtMs: number | null;
  /** After this moment the bytes are not sent (again); the wish has gone stale. Epoch ms. */
  readonly sendUntilMs: number;
  /** What was asked for, in micros of its unit, before the venue's steps made amounts of it; absent where nobody stated one. */
  readonly requested?: { readonly unit: 'usdc' | 'shares'; readonly micros: number };
  /** What the caller calls it; absent where they gave no name. */
  readonly clientOrderId?: string;
  /** The intent this one stands for, which the venue refused for the version of its format; absent in all others. */
  readonly replaces?: IntentId;
}

/** An order as its signer leaves it: the id and the exact bytes that go out, however often. */
export interface SignedOrder {
  readonly orderId: OrderId;
  /** Address whose funds the order moves. */
  readonly maker: Address;
  /** The exact request body. Retries send these bytes and no others (L1). */
  readonly body: string;
}

/** What was set aside for an order before it was signed (L5). */
export interface Reservation {
  readonly usdc: UsdcMicros;
  readonly shares: ShareMicros;
}

/** The venue's word on how an order ended, kept while fills it speaks of are still on their way. */
export interface OrderEnding {
  readonly state: 'cancelled' | 'expired';
  readonly reason: string | null;
}

/** The durable record of one order. */
export interface OrderRecord {
  readonly intent: OrderIntent;
  readonly signed: SignedOrder | null;
  readonly state: OrderState;
  /** Why it ended or waits; the venue's words where there are some. */
  readonly reason: string | null;
  /** Shares of all fills told so far. A fill that later fails to settle stays counted here, and in `reversedShares` as well. */
  readonly filledShares: ShareMicros;
  /** Those of them that are final; absent while none is. */
  readonly settledShares?: ShareMicros;
  /** Those of them that were taken back, for their trade failed; absent while none was. */
  readonly reversedShares?: ShareMicros;
  /** USDC that changed hands in fills, fees not included. */
  readonly filledUsdc: UsdcMicros;
  readonly feesUsdc: UsdcMicros;
  /** Shares the venue says were matched; fills may still be on their way. Null until it said so. */
  readonly matchedShares: ShareMicros | null;
  /** Set when the venue has ended the order and not all matched shares have been told as fills yet; else null. */
  readonly ending: OrderEnding | null;
  /** What is still set aside. */
  readonly reserved: Reservation;
  readonly sends: number;
  readonly lastSentAtMs: number | null;
  readonly cancelWanted: boolean;
  /** The intent made in the place of this one once it was dead; absent where there is none. */
  readonly replacedBy?: IntentId;
  readonly updatedAtMs: number;
}

/** True for an order that waits at the venue until it is filled, cancelled or expired. */
export function isResting({ timeInForce }: Pick<OrderIntent, 'timeInForce'>): boolean {
  return timeInForce === 'GTC' || timeInForce === 'GTD';
}

/** True once the order can change no more. */
export function isTerminal(state: OrderState): boolean {
  return TERMINAL_ORDER_STATES.includes(state);
}
