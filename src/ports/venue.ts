import type { VenueFill } from '../domain/fill.ts';
import type { CashAccount } from '../domain/cash.ts';
import type { Address, Asset, MarketId, OrderId, TokenId, UserId, VenueId } from '../domain/ids.ts';
import type { Market, OutcomeIndex, Resolution } from '../domain/market.ts';
import type { MarketListing, MarketTag, SeriesName } from '../domain/market-listing.ts';
import type { OrderHandle } from '../domain/order.ts';
import type { PriceTicks, ShareMicros, UsdcMicros } from '../domain/units.ts';
import type { VenueTraits } from '../domain/venue.ts';
import type { CandleSource } from './candles.ts';
import type { Listener } from './listener.ts';
import type { MarketScan } from './market-scan.ts';
import type { OrderRules } from './order-rules.ts';
import type { OrderSigner } from './order-signer.ts';
import type { PriceFeed } from './price-feed.ts';
import type { BookSource } from './venue-books.ts';

/**
 * What became of a submission. `unknown` means the answer was lost or unclear: look the order up,
 * never send a new one.
 */
export type SubmitOutcome =
  | {
      readonly kind: 'accepted';
      readonly orderId: OrderId;
      readonly status: 'live' | 'delayed' | 'matched';
    }
  | { readonly kind: 'rejected'; readonly reason: string }
  /**
   * Handed to a chain: no word of the venue's yet, and no doubt either. It is asked about, and may
   * be sent again.
   */
  | { readonly kind: 'sent' }
  /**
   * Proven dead before it was booked, for nothing that is wrong with the order: the same intent may
   * be signed once more.
   */
  | { readonly kind: 'reissue'; readonly reason: string }
  /** Not taken in, and no order of anybody would be: the venue turns us away for where we are. */
  | { readonly kind: 'restricted'; readonly reason: string }
  /**
   * Not taken in: the venue, its view of the account made fresh, does not find the money or the
   * shares.
   */
  | { readonly kind: 'underfunded'; readonly reason: string; readonly lacksAllowance: boolean }
  /** Taken and ended at once: an order for what is to be had now that found nothing. */
  | { readonly kind: 'unfilled'; readonly reason: string }
  | { readonly kind: 'duplicate' }
  /**
   * Surely not taken in, may be sent again (the same bytes) after the wait: 429, post-only or
   * cancel-only mode.
   */
  | { readonly kind: 'deferred'; readonly retryAfterMs: number; readonly reason: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * What became of a cancel. `unclear` covers "already canceled or matched": ask by id before
 * concluding anything.
 */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'unclear'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/** The venue's own word about one order, asked by id. */
export type LookupOutcome =
  /**
   * `fills`: all that the venue states of this order; absent where they come by
   * `OrderGateway.fills`.
   */
  | {
      readonly kind: 'found';
      readonly order: VenueOrder;
      readonly fills?: readonly VenueFill[];
    }
  /**
   * Not there. `proof` says why it can never be, for ever; null where
   * `VenueTraits.absenceFinalAfterMs` decides.
   */
  | { readonly kind: 'absent'; readonly proof: string | null }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** An order as the venue states it. */
export interface VenueOrder {
  readonly orderId: OrderId;
  readonly status: 'live' | 'delayed' | 'matched' | 'unmatched' | 'cancelled' | 'expired';
  readonly matchedShares: ShareMicros;
  readonly reason: string | null;
}

/**
 * What the user channel says. A gap is announced by the listener's `error`; the reader re-reads
 * orders and trades.
 */
export type UserEvent =
  | { readonly kind: 'order'; readonly order: VenueOrder }
  | { readonly kind: 'fill'; readonly fill: VenueFill }
  /** The channel is open and subscribed: the moment to re-read what was missed. */
  | { readonly kind: 'connected' };

/**
 * A list of the venue's, as far as it can be read: one row without meaning does not keep the others
 * from being heard.
 */
export interface PartialList<T> {
  readonly read: readonly T[];
  /**
   * Rows whose shape or words nobody knows: each may be of anything, so nothing may be concluded
   * from what is not among the read (L2).
   */
  readonly unread: number;
}

/** What may keep the bytes of an order from leaving. */
export interface Leave {
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Asked at the last moment, whether they had to wait for their turn or not: where it says no
   * nothing leaves, and the outcome is `deferred`.
   */
  readonly isGiven: () => boolean;
}

/**
 * Trading on behalf of users whose venue accounts are open. Every call has a time-out inside the
 * adapter.
 */
export interface OrderGateway {
  submit(order: OrderHandle, leave?: Leave): Promise<SubmitOutcome>;
  cancel(order: OrderHandle): Promise<CancelOutcome>;
  lookup(order: OrderHandle): Promise<LookupOutcome>;
  /**
   * Our fills at or after `sinceMs`, oldest first. Errors: `venue_unavailable`. Null where no list
   * of them is to be had: each order is looked up until its fills are final.
   */
  readonly fills: ((userId: UserId, sinceMs: number) => Promise<PartialList<VenueFill>>) | null;
  /** Orders still resting at the venue. Errors: `venue_unavailable`. */
  openOrders(userId: UserId): Promise<PartialList<VenueOrder>>;
  /** The user's own channel. */
  watch(userId: UserId, listener: Listener<UserEvent>): () => void;
}

/** A gateway of a venue that lists what a user traded. */
export interface ListingGateway extends OrderGateway {
  readonly fills: NonNullable<OrderGateway['fills']>;
}

/** The venue's own word on whether it takes orders from where we are. */
export interface RegionCheck {
  /**
   * True where it says that it does not. Errors: `venue_unavailable`, `venue_restricted`,
   * `venue_protocol`, `rate_limited`.
   */
  isBlocked(signal?: AbortSignal): Promise<boolean>;
}

/**
 * Who a user is, as the venue wants it shown before they buy there; sales and redemptions never
 * ask.
 */
export interface IdentityCheck {
  /**
   * Reports whether the user has shown it. Errors: `venue_unavailable`, `venue_protocol`,
   * `rate_limited`; `not_found` for no user.
   */
  isVerified(userId: UserId): Promise<boolean>;
  /**
   * Returns where the user shows it, an https address made afresh each time: it carries a signature
   * that ages. Errors: `not_found`.
   */
  link(userId: UserId): Promise<string>;
}

/** A collateral deposit the venue reports. */
export interface Deposit {
  readonly depositId: string;
  readonly usdc: UsdcMicros;
  readonly atMs: number;
}

/** Opening and reading a user's account at the venue. */
export interface VenueAccounts {
  /**
   * Creates or derives the trading credentials for the user's key. Idempotent. Errors:
   * `venue_unavailable`, `venue_restricted`.
   */
  open(userId: UserId): Promise<void>;
  /** Deposits credited to the account, oldest first. */
  deposits(userId: UserId, sinceMs: number): Promise<readonly Deposit[]>;
  /** Collateral the venue says is there. */
  collateral(userId: UserId): Promise<UsdcMicros>;
  /**
   * What the wallet lacks for a trade beside the money itself, such as coin for fees, each in a
   * sentence; absent where that is never anything. Errors: `chain_unavailable`.
   */
  missing?(userId: UserId): Promise<readonly string[]>;
  /** The users' own wallets, where they and nobody else keep the account; absent elsewhere. */
  readonly wallet?: WalletReads;
}

/** What a wallet holds, micros. */
export interface WalletHoldings {
  readonly usdc: UsdcMicros;
  /** All other tokens with as many decimals as shares, whoever made them. */
  readonly tokens: ReadonlyMap<TokenId, ShareMicros>;
}

/** What one final transaction changed of what a wallet holds of one thing, micros. */
export interface WalletMovement {
  readonly transactionHash: string;
  readonly micros: number;
}

/**
 * What has moved one thing in a wallet. `unsettled`: something that did is not final yet;
 * `too_long`: more than is read.
 */
export type WalletHistory =
  | {
      readonly kind: 'read';
      /** Oldest first. */
      readonly movements: readonly WalletMovement[];
      /** The newest transaction that was read; null without one. */
      readonly newest: string | null;
    }
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'too_long' };

/** Reads users' own wallets. Errors: `chain_unavailable`. */
export interface WalletReads {
  holdings(userId: UserId): Promise<WalletHoldings>;
  /** What has moved a token, or with null the USDC, after a transaction; null: ever. */
  history(userId: UserId, tokenId: TokenId | null, since: string | null): Promise<WalletHistory>;
}

/** A page of something. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** A page of a venue's list: full, or the last, unless it is incomplete. */
export interface ListingPage<T> extends Page<T> {
  /**
   * True where the venue lists more than one answer may look through: more that fits may follow
   * behind the cursor, or, of an ordered list, lies beyond what was ordered.
   */
  readonly incomplete?: boolean;
}

/** Which page of something. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}

/** How to browse markets. */
export interface MarketQuery extends PageQuery {
  /** Text in titles. */
  readonly search?: string | undefined;
  /** Those that are open, unless closed ones are asked for. */
  readonly state?: 'active' | 'closed' | undefined;
  /** Of events this is no filter. */
  readonly eventId?: string | undefined;
  readonly seriesId?: string | undefined;
  /** Short name of a series. */
  readonly series?: string | undefined;
  /** Short name of a tag. */
  readonly tag?: string | undefined;
  readonly slug?: string | undefined;
  /** A word of the venue's own for how far a market has come; takes the place of `state`. */
  readonly status?: string | undefined;
  readonly endsAfterMs?: number | undefined;
  readonly endsBeforeMs?: number | undefined;
  /**
   * Largest volume first, in all or of the last day; next to end first (of closed ones, last to
   * have ended); newest first. The venue's own order where absent.
   */
  readonly sort?: 'volume' | 'volume24h' | 'ending' | 'newest' | undefined;
}

/** An event: a container of markets. */
export interface MarketEvent {
  readonly eventId: string;
  readonly slug: string;
  readonly title: string;
  /** Plain text; empty where there is none. */
  readonly description: string;
  readonly series: SeriesName | null;
  readonly tags: readonly MarketTag[];
  readonly imageUrl: string | null;
  readonly iconUrl: string | null;
  readonly startsAtMs: number | null;
  readonly endsAtMs: number | null;
  readonly closed: boolean;
  readonly volumeUsd: number;
  readonly volume24hUsd: number | null;
  readonly liquidityUsd: number;
  readonly markets: readonly MarketListing[];
}

/** A recurring template. */
export interface MarketSeries {
  readonly seriesId: string;
  readonly slug: string;
  readonly title: string;
  readonly recurrence: string;
}

/** A large public trade. */
export interface WhaleTrade {
  readonly transactionHash: string;
  readonly trader: Address;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly title: string;
  /** Short names of the market and its event; null where the venue does not say. */
  readonly slug: string | null;
  readonly eventSlug: string | null;
  readonly outcome: string;
  readonly outcomeIndex: OutcomeIndex | null;
  readonly side: 'buy' | 'sell';
  readonly shares: ShareMicros;
  readonly price: PriceTicks;
  readonly usdc: UsdcMicros;
  readonly atMs: number;
}

/** Markets as they are traded. Errors: `venue_unavailable`, `venue_protocol`. */
export interface Catalogue {
  market(marketId: MarketId): Promise<Market | null>;
  /** The market one of whose outcomes this token is; null when there is none. */
  marketOfToken(tokenId: TokenId): Promise<Market | null>;
  /** How the market ended; null while it has not. */
  resolution(marketId: MarketId): Promise<Resolution | null>;
}

/** Recurring rounds of assets. Errors: `venue_unavailable`, `venue_protocol`. */
export interface RoundDirectory extends Pick<Catalogue, 'market'> {
  /**
   * The round that starts at `startsAtMs`; null while it is not listed or not hydrated (ask again,
   * never cache that).
   */
  round(asset: Asset, minutes: 5 | 15, startsAtMs: number): Promise<Market | null>;
}

/**
 * Markets as people look for them. What is traded by is never taken from a listing's prices, which
 * may be minutes old. Errors: those of the catalogue; of lists `invalid_request` for a cursor, tag,
 * series or event the venue does not know, with its path.
 */
export interface MarketDirectory extends Catalogue {
  markets(query: MarketQuery): Promise<ListingPage<MarketListing>>;
  /** A market as people read it, by its id or its slug; null when there is none. */
  listing(idOrSlug: string): Promise<MarketListing | null>;
  events(query: MarketQuery): Promise<ListingPage<MarketEvent>>;
  event(eventId: string): Promise<MarketEvent | null>;
  series(query: PageQuery): Promise<Page<MarketSeries>>;
  whaleTrades(minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]>;
}

/**
 * What people look at who browse a venue. It may be slow or refused where many look; what orders
 * and agents ask never waits for it.
 */
export interface Browsing {
  readonly directory: MarketDirectory;
  readonly books: Pick<BookSource, 'snapshot'>;
  /** Null where the venue tells nothing of the past. */
  readonly candles: CandleSource | null;
}

/**
 * Grants test collateral. Exists only where the profile names one (the sandbox). Errors:
 * `funding_unavailable` (retryable).
 */
export interface Faucet {
  grant(userId: UserId, usdc: UsdcMicros): Promise<void>;
}

/** Trading by one mechanism of a venue. */
export interface VenueTrading {
  readonly traits: VenueTraits;
  readonly rules: OrderRules;
  readonly signer: OrderSigner;
  readonly gateway: OrderGateway;
  /**
   * Refuses a purchase of anything by anybody, where the operator may not sell it; sales are never
   * asked about. Absent where that is the venue's to say. Errors: `venue_restricted`.
   */
  readonly assertMaySell?: () => void;
  /**
   * Refuses a purchase while it could not be seen to settle; sales are never asked about. Errors:
   * `chain_unavailable`.
   */
  readonly assertSettles?: () => void;
}

/** One venue, opened. What a venue cannot do is null, never a stub that throws. */
export interface Venue {
  readonly id: VenueId;
  /** Pays for its orders and is paid into. */
  readonly cashAccount: CashAccount;
  /** Markets as orders need them. */
  readonly catalogue: Catalogue;
  /**
   * The same for agents that look for markets, within a share of the venue's rates of their own.
   */
  readonly discovery: Catalogue;
  /** The same for people who look, within a share of their own. */
  readonly browsing: Browsing;
  /** Recurring rounds of assets; null where there are none. */
  readonly rounds: RoundDirectory | null;
  readonly books: BookSource | null;
  /** The oracle's prices as the venue republishes them. */
  readonly prices: PriceFeed | null;
  readonly accounts: VenueAccounts;
  /** Null where nothing is traded. */
  readonly trading: VenueTrading | null;
  /** All open markets; null where they are not farmed. */
  readonly scan: MarketScan | null;
  /** Whether it takes orders from where we are; null where it cannot be asked. */
  readonly access: RegionCheck | null;
  /** Null where nobody has to show who they are. */
  readonly identity: IdentityCheck | null;
  /**
   * Where what was won is fetched from: by the user's Safe on the chain, or by an order that gives
   * the winning shares for what they pay. Null where the venue pays by itself.
   */
  readonly redemption: 'safe' | 'order' | null;
  /** Null where money is real. */
  readonly faucet: Faucet | null;
  /** Ends the kept-alive connections; sockets end with their watches. */
  close(): Promise<void>;
}
