import type { FillLeg } from '../../domain/fill.ts';
import type { TradeId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { VenueOrder } from '../../ports/venue.ts';
import type { OpenMark } from '../tables.ts';
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

/** Orders of the modelled exchange: [userId, orderId]. Order ids begin with their time. */
export const PAPER_EXCHANGE: Table<PaperOrder> = { name: 'paper.exchange' };
/** Those of them that rest: [userId, orderId]. */
export const PAPER_RESTING: Table<OpenMark> = { name: 'paper.exchange_resting' };
