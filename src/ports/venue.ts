import type { CashAccount } from '../domain/cash.ts';
import type { Address, TokenId, UserId, VenueId } from '../domain/ids.ts';
import type { AppError } from '../domain/errors.ts';
import type { Market, OutcomeIndex } from '../domain/market.ts';
import type { TradeSide } from '../domain/order.ts';
import type { ShareMicros, UsdcMicros } from '../domain/units.ts';
import type { VenueTraits } from '../domain/venue.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';
import type { CandleSource } from './candles.ts';
import type { EvmCall } from './evm.ts';
import type { MarketScan } from './market-scan.ts';
import type { OrderRules } from './order-rules.ts';
import type { OrderSigner } from './order-signer.ts';
import type { PriceFeed } from './price-feed.ts';
import type { BookSource } from './venue-books.ts';
import type { OrderGateway } from './order-gateway.ts';
import type { OrderRecords } from './order-records.ts';
import type { Catalogue, MarketDirectory, RoundDirectory } from './catalogue.ts';

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
  /** The users' own wallets, where they alone keep the account; absent elsewhere. */
  readonly wallet?: WalletReads;
}

/** What a wallet holds, micros. */
export interface WalletHoldings {
  readonly usdc: UsdcMicros;
  /**
   * All other tokens with as many decimals as shares, whoever made them; those asked about alone
   * where the chain lists none by owner.
   */
  readonly tokens: ReadonlyMap<TokenId, ShareMicros>;
}

/** What one final transaction changed of what a wallet holds of one thing, micros. */
export interface WalletMovement {
  readonly transactionHash: string;
  readonly micros: number;
  /** Its block; absent where the chain names none. */
  readonly block?: number;
  /** True where the venue's contracts show it to be a trade of the wallet's: its fills book it. */
  readonly isTrade?: boolean;
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
      /** The newest transaction that was read, or a mark; null without one. */
      readonly newest: string | null;
    }
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'too_long' };

/**
 * What the chain shows of a transaction that was final: that it is so still; that it is in a block
 * which is not final (`open`), or in one that is and `failed` inside; that it is in none; or that
 * none has it, and the node has `pruned` the block in which it was.
 */
export type TransactionStanding = 'final' | 'open' | 'failed' | 'absent' | 'pruned';

/** Reads users' own wallets. Errors: `chain_unavailable`. */
export interface WalletReads {
  /** `known` are the tokens that the books have there. */
  holdings(userId: UserId, known: readonly TokenId[]): Promise<WalletHoldings>;
  /** What has moved a token, or with null the USDC, after a transaction or mark; null: ever. */
  history(userId: UserId, tokenId: TokenId | null, since: string | null): Promise<WalletHistory>;
  /**
   * Names a moment just past, from which a history may be read; absent where each may go back to
   * its first transaction.
   */
  mark?(): Promise<string>;
  /**
   * Asks about a transaction again, with the block that it was in, null where that is not known;
   * absent where the chain takes back nothing that was final.
   */
  standing?(transactionHash: string, block: number | null): Promise<TransactionStanding>;
}

/**
 * What people read who browse a venue. It may be slow or refused where many do; what orders and
 * agents ask never waits for it.
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
  /** What is on record of users' orders; absent where that cannot be asked for. */
  readonly records?: OrderRecords;
  /**
   * What the network takes now for an order that is a transaction of the user's own account, or
   * that one goes ahead of; `none` where it takes nothing, null where its chain does not tell soon.
   * Absent where it never takes anything. Errors: those of the vault.
   */
  gas?(userId: UserId, order: GasQuestion): Promise<OrderGas | 'none' | null>;
}

/** Which order the network takes something for. */
interface GasQuestion {
  readonly side: TradeSide;
  readonly outcome: OutcomeIndex;
  readonly market: Market;
}

/** What the network takes for an order, in the smallest unit of its chain's own coin. */
export interface OrderGas {
  readonly chain: Web3ChainId;
  /** About, at the fee of the moment; at most where it has `rent`. */
  readonly amount: bigint;
  /** Of `amount`, rents of accounts that are not there yet; absent on chains without. */
  readonly rent?: bigint;
  /** What the account must hold for it: at the highest fee that may be signed for. */
  readonly needed: bigint;
  readonly held: bigint;
  /** What the order is refused for while the account holds less; null where it holds enough. */
  readonly lacking: AppError | null;
}

/** An account of the service's own that pays the network for users' orders. */
export interface OrderSponsor {
  readonly address: string;
  /** What it pays for all users in a UTC day at most, lamports. */
  readonly dailyLamports: number;
  /** Resolves with what it holds. Errors: `chain_unavailable`. */
  lamports(): Promise<bigint>;
}

/** How shares that won are redeemed by a transaction of the user's own EVM account. */
interface Redeemer {
  /** The account that holds them. Errors: `not_found`, `master_key_wrong`. */
  walletOf(userId: UserId): Promise<Address>;
  /** Whether the chain knows how a market ended. Errors: `chain_unavailable`. */
  isDecided(market: Market): Promise<boolean>;
  /**
   * What turns all that the account holds of a market into `token`. Errors: `chain_unavailable`,
   * `wallet_not_ready` (retryable while a right that it needs is on its way).
   */
  call(userId: UserId, market: Market): Promise<EvmCall>;
  /** What winners are paid in. */
  readonly token: Address;
}

/** One venue, opened. What a venue cannot do is null, never a stub that throws. */
export interface Venue {
  readonly id: VenueId;
  /** Pays for its orders and is paid into. */
  readonly cashAccount: CashAccount;
  /** Markets as orders need them. */
  readonly catalogue: Catalogue;
  /**
   * The same for agents that search for markets, within a share of the venue's rates of their own.
   */
  readonly discovery: Catalogue;
  /** The same for people who browse, within a share of their own. */
  readonly browsing: Browsing;
  /** Recurring rounds of assets; null where there are none. */
  readonly rounds: RoundDirectory | null;
  readonly books: BookSource | null;
  /** The oracle's prices as the venue republishes them. */
  readonly prices: PriceFeed | null;
  readonly accounts: VenueAccounts;
  /**
   * The ways it trades in, by their ids. The first is that of markets and orders that name none:
   * what a venue adds comes after it. Empty where nothing is traded.
   */
  readonly mechanisms: Readonly<Record<string, VenueTrading>>;
  /**
   * Refuses a purchase of anything by anybody, where the operator may not sell it; sales are never
   * asked about. Absent where that is the venue's to say. Errors: `venue_restricted`.
   */
  readonly assertRegionAllowsBuys?: () => void;
  /**
   * Refuses a purchase while it could not be seen to settle; sales are never asked about. Errors:
   * `chain_unavailable`.
   */
  readonly assertSettles?: () => void;
  /** All open markets; null where they are not farmed. */
  readonly scan: MarketScan | null;
  /** Whether it takes orders from where we are; null where it cannot be asked. */
  readonly access: RegionCheck | null;
  /** Null where users need not show who they are. */
  readonly identity: IdentityCheck | null;
  /**
   * How what was won is fetched: by a transaction of the cash account, or by an order that gives
   * the winning shares for what they pay. Null where the venue pays by itself.
   */
  readonly redemption: 'transaction' | 'order' | null;
  /** Where that is a transaction of the user's own EVM account; absent elsewhere. */
  readonly redeemer?: Redeemer;
  /** Where that is one of the user's Safe: the contract that redeems shares of a market. */
  readonly safeRedeemer?: (market: Market) => Address;
  /** Null where money is real. */
  readonly faucet: Faucet | null;
  /** Absent where each user pays the network. */
  readonly sponsor?: OrderSponsor;
  /**
   * Reads the venue's clock, epoch ms, to half a second; absent where it shows none. Errors:
   * `venue_unavailable`, `rate_limited`, `overloaded` (retryable), `venue_protocol`.
   */
  readClock?(): Promise<number>;
  /** Ends the kept-alive connections; sockets end with their watches. */
  close(): Promise<void>;
}
