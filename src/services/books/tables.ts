import type { AgentResults, PositionsResult } from '../../domain/agent-results.ts';
import type { AgentMode, AgentRecord, DecisionRecord, UnwindRecord } from '../../domain/agent.ts';
import type { Hold } from '../../domain/cash.ts';
import type { FillRecord } from '../../domain/fill.ts';
import type { FundsDispute } from '../../domain/funds-dispute.ts';
import type { IntentId, MarketId, OrderId, TradeId, UserId, VenueId } from '../../domain/ids.ts';
import type { LedgerBalance, LedgerEntry } from '../../domain/ledger.ts';
import type { Market, Resolution } from '../../domain/market.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { RiskState } from '../../domain/risk.ts';
import type { BreakerState } from '../../domain/settlement-breaker.ts';
import type { AccessState } from '../../domain/venue-access.ts';
import type { WalletMismatch } from '../../domain/wallet-mismatch.ts';
import type { StoreReader, Table } from '../../ports/store.ts';

/** Names an order and its owner. */
export interface OrderRef {
  readonly userId: UserId;
  readonly intentId: IntentId;
}

/** Marks a record as still in motion, so that a start reads those and not the whole past. */
export interface OpenMark {
  readonly sinceMs: number;
}

/** What is known of an open fill without reading it. */
export interface OpenFill extends OpenMark {
  readonly venue: VenueId;
}

/** What is known of an open order without reading it. */
export interface OpenOrder extends OpenFill {
  readonly marketId: MarketId;
  /** Its status is not decided: until it is, the user's market takes no further order (L2). */
  readonly isFencing: boolean;
}

/** That an agent has traded a market (L7). */
export interface AgentMarket {
  readonly intentId: IntentId;
  readonly atMs: number;
}

/** A durable stop (L6). */
export interface StopRecord {
  readonly stopped: boolean;
  readonly reason: string;
  readonly atMs: number;
  /** What the stop does with buys it finds open. */
  readonly policy: OperatorStopPolicy;
}

/**
 * That this store was put back as it was at an earlier moment: what happened at venues and on
 * chains after that is not in it until it was adopted.
 */
export interface RestoreRecord {
  /** When the newest fact of the log happened, market time; what is lacking came later. */
  readonly upToMs: number;
  /** When the backup was made, wall time. */
  readonly madeAtMs: number;
  /** When what was lacking had been adopted, market time; null until then. */
  readonly adoptedAtMs: number | null;
  /**
   * Eight hexadecimal digits of chance that cursors begin with from then on: entries of the journal
   * behind the backup are others than clients may have seen under their numbers. Absent of stores
   * restored by versions up to November 2026.
   */
  readonly journalName?: string;
}

/** That all of a user's that a restored store lacked has been adopted. */
export interface AdoptionRecord {
  /** Of the restore: an earlier adoption says nothing about it. */
  readonly upToMs: number;
  readonly atMs: number;
}

/**
 * What a stop of the operator or of a user does with buys that are open: leaves them, or has them
 * cancelled.
 */
export type OperatorStopPolicy = 'keep' | 'cancel_only';

/**
 * Where a position is listed: among those that hold shares, or among those that hold none any more.
 */
export type PositionGroup = 'open' | 'closed';

/** What positions came to, by venue. */
export type VenueResults = Readonly<Partial<Record<VenueId, PositionsResult>>>;

/** Which fill came when. */
export interface FillPlace {
  readonly orderId: OrderId;
  readonly tradeId: TradeId;
}

/**
 * Orders: [userId, intentId]. Intent ids begin with their time, so a user's orders are read in
 * order of making.
 */
export const ORDERS: Table<OrderRecord> = { name: 'orders' };
/** The order an attempt or a venue's id belongs to: [attemptId] and [orderId]. */
export const ORDER_IDS: Table<OrderRef> = { name: 'order_ids' };
/**
 * Orders that are not terminal, and the fences they are (L2): [userId, intentId]. At most
 * ORDER.openPerUserMaximum a user.
 */
export const OPEN_ORDERS: Table<OpenOrder> = { name: 'open_orders' };
/** A user's orders by market: [userId, marketId, intentId]. */
export const MARKET_ORDERS: Table<true> = { name: 'market_orders' };
/** Idempotency key of a caller: [userId, key]. */
export const ORDER_KEYS: Table<OrderRef> = { name: 'order_keys' };
/** Fills: [userId, orderId, tradeId]. */
export const FILLS: Table<FillRecord> = { name: 'fills' };
/** Fills that are neither settled nor reversed: [userId, orderId, tradeId]. */
export const OPEN_FILLS: Table<OpenFill> = { name: 'open_fills' };
/** Balances: [owner, asset]. */
export const BALANCES: Table<LedgerBalance> = { name: 'balances' };
/** Ledger entries: [entryId]. An id that is here has been booked (L4). */
export const LEDGER_ENTRIES: Table<LedgerEntry> = { name: 'ledger_entries' };
/** Money set aside for what is not an order, until that has ended: [userId, holdId]. */
export const OPEN_HOLDS: Table<Hold> = { name: 'open_holds' };
/** Positions: [userId, tokenId]. */
export const POSITIONS: Table<PositionRecord> = { name: 'positions' };
/**
 * A user's positions by when they were opened: [userId, group, openedAtMs, tokenId]. Each is in one
 * group.
 */
export const POSITION_TIMES: Table<true> = { name: 'position_times' };
/** Who holds what in markets that are not yet paid out: [marketId, userId, tokenId]. */
export const OPEN_POSITIONS: Table<OpenMark> = { name: 'open_positions' };
/** Markets of which an order was made, as they were then: [marketId]. */
export const TRADED_MARKETS: Table<Market> = { name: 'traded_markets' };

/** Returns when a traded market is over, as it was stated then; undefined for any other. */
export function marketEndOf(reader: StoreReader, marketId: MarketId): number | undefined {
  return reader.get(TRADED_MARKETS, [marketId])?.value.endsAtMs;
}
/** How markets ended: [marketId]. */
export const RESOLUTIONS: Table<Resolution> = { name: 'resolutions' };
/** Stops: ['all'], ['user', userId], and those users set for themselves: ['self', userId]. */
export const STOPS: Table<StopRecord> = { name: 'stops' };
/** The newest restore of the store from a backup: ['newest']. */
export const RESTORES: Table<RestoreRecord> = { name: 'restores' };
/** Users of whom nothing is lacking any more since a restore: [userId]. */
export const ADOPTIONS: Table<AdoptionRecord> = { name: 'adoptions' };
/** Stops whose open buys are still being cancelled: keys as of stops. */
export const STOP_SWEEPS: Table<OpenMark> = { name: 'stop_sweeps' };
/** Funds the venue says are not there: [userId, asset]. */
export const FUNDS_DISPUTES: Table<FundsDispute> = { name: 'funds_disputes' };
/** Where users' own wallets differ from the books, and nothing explains it: [userId, asset]. */
export const WALLET_MISMATCHES: Table<WalletMismatch> = { name: 'wallet_mismatches' };
/** How settlements at a venue go: ['operator', venueId], ['user', userId, venueId]. */
export const BREAKERS: Table<BreakerState> = { name: 'breakers' };
/** Whether a venue takes orders from where we are: [venueId]. */
export const VENUE_ACCESS_STATES: Table<AccessState> = { name: 'venue_access' };
/** Caps users chose for themselves: [userId]. */
export const USER_CAPS: Table<RiskCaps> = { name: 'user_caps' };
/** Stopped agents whose orders or positions are still being ended: [userId, agentId]. */
export const UNWINDS: Table<UnwindRecord> = { name: 'unwinds' };
/** Agents: [userId, agentId]. */
export const AGENTS: Table<AgentRecord> = { name: 'agents' };
/** Markets an agent has traded: [userId, agentId, marketId]. */
export const AGENT_MARKETS: Table<AgentMarket> = { name: 'agent_markets' };
/** A record with the number of the journal entry that says the same and is chained (L11). */
export type Chained<T> = T & { readonly journalSeq: number };

/** Receipts, never changed once made: [userId, agentId, atMs, decisionId]. */
export const DECISIONS: Table<Chained<DecisionRecord>> = { name: 'decisions' };
/**
 * Fills of one token in the order in which they were booked, by journal number: [userId, tokenId,
 * seq].
 */
export const TOKEN_FILLS: Table<FillPlace> = { name: 'token_fills' };
/** A user's fills in the order in which they were booked, by journal number: [userId, seq]. */
export const USER_FILLS: Table<FillPlace> = { name: 'user_fills' };
/**
 * What trades of agents came to: [userId, agentId], and [userId, 'all'] for all agents of the user
 * together.
 */
export const AGENT_RESULTS: Table<AgentResults> = { name: 'agent_results' };
/**
 * What a user's positions came to at each venue, by agents and by hand: [userId]. Absent before the
 * first change of a position.
 */
export const VENUE_RESULTS: Table<VenueResults> = { name: 'venue_results' };
/** What a user has at risk (L5): [userId]. */
export const RISK: Table<RiskState> = { name: 'risk' };
/** What an agent of a user has at risk (L5), a part of the user's: [userId, agentId]. */
export const AGENT_RISK: Table<RiskState> = { name: 'agent_risk' };

const PAPER_PREFIX = 'paper.';

/** A table of orders, money or positions as paper trading has it. */
export function paperTable<T>(table: Table<T>): Table<T> {
  return table.name.startsWith(PAPER_PREFIX) ? table : { name: `${PAPER_PREFIX}${table.name}` };
}

/** A table as agents of a mode have it. */
export function tableOf<T>(mode: AgentMode, table: Table<T>): Table<T> {
  return mode === 'paper' ? paperTable(table) : table;
}
