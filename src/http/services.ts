import type { ServerKind } from './listener/listener.ts';
import type { TokenArrival } from '../domain/token-arrival.ts';
import type { BookView } from '../domain/book.ts';
import type { GasPaid } from '../domain/fill.ts';
import type { TokenId, TransactionId, UserId, VenueId } from '../domain/ids.ts';
import type { SwapRecord } from '../domain/swap.ts';
import type { UserTransfer } from '../domain/user-transfer.ts';
import type { MarketEnd } from '../domain/market.ts';
import type { PositionCloser } from '../services/position-closer.ts';
import type { Adoption } from '../services/adoption/adoption.ts';
import type { Accounts } from '../services/sign-in/accounts.ts';
import type { ApiKeys } from '../services/api-keys/api-keys.ts';
import type { Confirmations } from '../services/confirmations/confirmations.ts';
import type { KeyActivity } from '../services/api-keys/key-activity.ts';
import type { Agents } from '../services/agents/agents-types.ts';
import type { Candle, CandleQuery } from '../ports/candles.ts';
import type { KeyScope } from '../ports/identity.ts';
import type { MetricsFormat } from '../ports/metrics.ts';
import type { MarketSearch } from '../services/market-search.ts';
import type { IdentityCheck } from '../ports/venue.ts';
import type { Page, PageQuery } from '../ports/catalogue.ts';
import type { Markets } from '../services/markets.ts';
import type { MissedEvents } from '../services/missed-events.ts';
import type { JournalTree } from '../services/journal-tree.ts';
import type { PushSubscriptions } from '../services/notifications/push-subscriptions.ts';
import type { Notifications } from '../services/notifications/notifications.ts';
import type { CoinPrice } from '../services/orders/estimate.ts';
import type { Orders } from '../services/orders/orders.ts';
import type { EquitySamples } from '../services/portfolio/equity-samples.ts';
import type { Portfolio } from '../services/portfolio/portfolio.ts';
import type { ViewedPositions } from '../services/portfolio/viewed-positions.ts';
import type { FederatedIdentity } from '../services/sign-in/federated-identity.ts';
import type { TradeHistory } from '../services/history/trade-history.ts';
import type { KeyExport } from '../services/keys/key-export.ts';
import type { ProfileRemoval } from '../services/profile-removal.ts';
import type { Sessions } from '../services/sign-in/sessions.ts';
import type { Deposits } from '../services/funding/deposit-addresses.ts';
import type { BscReads } from '../services/web3/bsc.ts';
import type { SolanaGate } from '../services/web3/solana-gate.ts';
import type { Launches } from '../services/launches/launches.ts';
import type { Registry } from '../services/registry/registry.ts';
import type { Swaps } from '../services/swaps/swaps.ts';
import type { Realtime } from '../services/tokens/realtime.ts';
import type { TokenLists } from '../services/tokens/token-lists.ts';
import type { TokenLookups } from '../services/tokens/token-lookups.ts';
import type { WalletViews } from '../services/web3/wallet-views.ts';
import type { Redemptions } from '../services/funding/redemptions.ts';
import type { TokenTransfers } from '../services/funding/token-transfers.ts';
import type { SafeTransfers } from '../services/funding/safe-transfers.ts';
import type { UserLimits } from '../services/user-limits.ts';
import type { WalletRounds } from '../services/funding/wallet-rounds.ts';
import type { Withdrawals } from '../services/funding/withdrawals.ts';

/** Whether the daemon can do its work, and what prevents it. */
export interface Readiness {
  readonly ready: boolean;
  /** One line per part: its name and whether it is well. */
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string | null;
  }[];
}

/** What the process says of itself. */
interface SystemStatus {
  readonly version: string;
  readonly profile: string;
  /** What serves HTTP and sockets. */
  readonly server: ServerKind;
  readiness(): Readiness;
  /** Metrics in the text format of Prometheus. */
  metricsText(format: MetricsFormat): Promise<string>;
}

/**
 * Live books for a single answer: a trusted view when one is kept, else a fresh snapshot of the
 * venue asked for on behalf of a user; null when there is no such book.
 */
export interface BookLookup {
  book(userId: UserId, tokenId: TokenId): Promise<BookView | null>;
  /**
   * How the market of a token without a book ended; null where it has not, or is not known. Errors:
   * those of the lookups and the venue.
   */
  endOf(userId: UserId, tokenId: TokenId): Promise<MarketEnd | null>;
}

/** What can be looked at of one venue. */
export interface VenueBrowsing {
  readonly markets: Markets;
  readonly books: BookLookup;
  /**
   * Periods of a market, asked for on behalf of a user; null where there is no such market. Errors:
   * those of the lookups and the venue; `not_found` where it tells nothing of the past.
   */
  readonly candles: (userId: UserId, query: CandleQuery) => Promise<readonly Candle[] | null>;
}

/** What a key can be held to: the names its limits may hold. */
export interface Grantable {
  readonly venues: readonly VenueId[];
  /** MCP tools, with what a key must be allowed to call each. */
  readonly tools: readonly { readonly name: string; readonly scope: KeyScope }[];
}

/** Tells our other services by their shared secret. */
interface InternalCalls {
  /** False where no secret is set: there are no internal calls then. */
  readonly isOpen: boolean;
  /** Compares in constant time. */
  isRight(secret: string): boolean;
}

/** Everything routes may call: one service a handler. The composition root gives them. */
export interface ApiServices {
  readonly sessions: Pick<
    Sessions,
    | 'requestCode'
    | 'requestCodeAgain'
    | 'signInAgain'
    | 'admitBy'
    | 'verifyCode'
    | 'refresh'
    | 'logout'
    | 'authenticate'
    | 'recognize'
    | 'list'
    | 'end'
    | 'endOthers'
    | 'jwks'
  >;
  readonly federatedIdentity: FederatedIdentity;
  readonly accounts: Pick<Accounts, 'profile' | 'setUsername'>;
  readonly orders: Pick<
    Orders,
    | 'place'
    | 'estimate'
    | 'ended'
    | 'cancel'
    | 'cancelAll'
    | 'get'
    | 'listOpen'
    | 'setStop'
    | 'stopOf'
    | 'isSweeping'
  >;
  readonly closing: PositionCloser;
  readonly confirmations: Confirmations;
  readonly history: TradeHistory;
  /** Has a user's own wallets read because they read their money. */
  readonly walletRounds: Pick<WalletRounds, 'soon'>;
  readonly portfolio: Pick<
    Portfolio,
    | 'holdings'
    | 'cash'
    | 'isReconciled'
    | 'mismatches'
    | 'disputes'
    | 'accountAt'
    | 'results'
    | 'realizedToday'
  >;
  readonly viewedPositions: Pick<ViewedPositions, 'read'>;
  readonly adoption: Pick<Adoption, 'begin' | 'report' | 'assertAdopted'>;
  readonly equity: Pick<EquitySamples, 'read'>;
  readonly userLimits: UserLimits;
  readonly withdrawals: Withdrawals;
  /** Of what was won at a venue. */
  readonly redemptionsAt: (venue: VenueId) => Pick<Redemptions, 'claim'>;
  readonly safeTransfers: SafeTransfers;
  readonly tokenTransfers: TokenTransfers;
  /** Coins and tokens that came to users' own wallets, newest first. */
  readonly tokenArrivals: (userId: UserId, page: PageQuery) => Page<TokenArrival>;
  /** Errors: `venue_unavailable` for a venue that is not open. */
  readonly browsing: (venue: VenueId) => VenueBrowsing;
  readonly marketSearch: MarketSearch;
  /**
   * Who users are, as a venue wants it shown; null where it does not. Errors: `venue_unavailable`
   * for a venue that is not open.
   */
  readonly identityAt: (venue: VenueId) => IdentityCheck | null;
  /**
   * What of a user's own wallet is short for a trade at a venue, in sentences; nothing where the
   * venue is not open. Errors: `chain_unavailable`.
   */
  readonly walletLacks: (venue: VenueId, userId: UserId) => Promise<readonly string[]>;
  readonly agents: Pick<
    Agents,
    | 'list'
    | 'view'
    | 'updateSettings'
    | 'enable'
    | 'disable'
    | 'stopAll'
    | 'watchHealth'
    | 'trades'
    | 'performance'
    | 'performanceOfAll'
    | 'decisions'
    | 'decision'
    | 'calibration'
  >;
  readonly journalTree: Pick<JournalTree, 'prove'>;
  readonly apiKeys: Pick<
    ApiKeys,
    'create' | 'list' | 'revoke' | 'remove' | 'exchange' | 'limitsOf'
  >;
  readonly keyActivity: KeyActivity;
  readonly grantable: Grantable;
  readonly internal: InternalCalls;
  readonly deposits: Deposits;
  readonly keyExport: KeyExport;
  readonly profileRemoval: ProfileRemoval;
  readonly notifications: Notifications;
  readonly missedEvents: MissedEvents;
  /** What of a user's money or entries is under way. */
  readonly transfersUnderWay: (userId: UserId) => readonly UserTransfer[];
  /** Reports whether money that a swap brought or gave back is not in the books yet. */
  readonly awaitsBooking: (swap: SwapRecord) => boolean;
  readonly pushSubscriptions: PushSubscriptions;
  readonly wallets: WalletViews;
  readonly solana: SolanaGate;
  readonly swaps: Pick<Swaps, 'quote' | 'estimate' | 'execute' | 'get' | 'list'>;
  readonly launches: Launches;
  /** What the network took of a user's own account for transactions of one chain, as known. */
  readonly gasPaid: (
    userId: UserId,
    transactionIds: readonly TransactionId[],
  ) => GasPaid | undefined;
  /** Of a chain's coin, to show what gas is worth. */
  readonly coinPrice: CoinPrice;
  readonly registry: Registry;
  readonly bsc: BscReads;
  readonly realtime: Pick<Realtime, 'newest' | 'follow' | 'assertRoom'>;
  readonly tokens: Pick<TokenLists, 'rank'> & TokenLookups;
  readonly system: SystemStatus;
}
