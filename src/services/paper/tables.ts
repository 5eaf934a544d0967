import type { FillLeg } from '../../domain/fill.ts';
import type { TradeId, UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { Comparison, Pair } from '../../domain/paper-comparison.ts';
import type { VenueOrder } from '../../ports/order-gateway.ts';
import type { OpenMark } from '../books/tables.ts';
import type { Table } from '../../ports/store.ts';

/** A trade of the modelled exchange. */
export interface PaperFill {
  readonly tradeId: TradeId;
  readonly role: 'maker' | 'taker';
  readonly legs: readonly FillLeg[];
  readonly matchedAtMs: number;
}

/** An order as the modelled exchange has it. */
export interface PaperOrder {
  readonly intent: OrderIntent;
  readonly status: VenueOrder['status'];
  readonly reason: string | null;
  readonly fills: readonly PaperFill[];
}

/** A pair, and the shadow run its paper side is of. */
export interface PairRecord extends Pair {
  readonly shadowId: UserId;
}

/** Orders of the modelled exchange: [userId, orderId]. Order ids begin with their time. */
export const PAPER_EXCHANGE: Table<PaperOrder> = { name: 'paper.exchange' };
/** Those of them that rest: [userId, orderId]. */
export const PAPER_RESTING: Table<OpenMark> = { name: 'paper.exchange_resting' };
/** Entries of live agents beside those of their shadow runs: [userId, agentId, marketId]. */
export const PAIRS: Table<PairRecord> = { name: 'paper.pairs' };
/** Those of which a side may still change: [userId, agentId, marketId]. */
export const OPEN_PAIRS: Table<OpenMark> = { name: 'paper.open_pairs' };
/** What the pairs of an agent come to: [userId, agentId]. */
export const COMPARISONS: Table<Comparison> = { name: 'paper.comparisons' };
