import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { mulDiv, TICKS_PER_USD } from '../../../../domain/units.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { Random } from '../../../../ports/random.ts';
import { MatchingBook } from '../../../exchange/matching-book.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import type { Bank } from './bank.ts';
import type { VenueMarket, Ending } from './market.ts';
import { MAKER_ID, type VenueOrder, type VenueTrade } from './order.ts';

/** What the exchange says happened, in order. */
export type ExchangeEvent =
  | { readonly kind: 'book'; readonly market: VenueMarket }
  | {
      readonly kind: 'order';
      readonly type: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION' | 'EXECUTION';
      readonly order: VenueOrder;
    }
  | { readonly kind: 'trade'; readonly trade: VenueTrade }
  | { readonly kind: 'listed'; readonly market: VenueMarket }
  | { readonly kind: 'resolved'; readonly market: VenueMarket; readonly ending: Ending };

/** What outlives the process; orders of the market maker are not in it. */
export interface ExchangeRecords {
  readonly orders: RecordStore<VenueOrder>;
  readonly trades: RecordStore<VenueTrade>;
  readonly endings: RecordStore<Ending>;
}

/** One market's book and last trades. */
export interface OpenBook {
  readonly market: VenueMarket;
  readonly book: MatchingBook<VenueOrder>;
  /** Newest first, the market maker's among them. */
  readonly trades: VenueTrade[];
  /** Price of YES in the last one, ticks. */
  lastPrice: number | null;
}

/** Everything the exchange knows, shared by its parts. */
export interface ExchangeState {
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: FaultBoard;
  readonly bank: Bank;
  readonly records: ExchangeRecords;
  readonly books: Map<string, OpenBook>;
  /** LIVE and DELAYED orders by account, the market maker's among them. */
  readonly open: Map<string, Map<string, VenueOrder>>;
  /** Users' trades that are not on the chain, by id. */
  readonly underWay: Map<string, VenueTrade>;
  /** Of profiles, `<ownerId> <clientOrderId>`: known ids for as long as the order is. */
  readonly clientIds: Set<string>;
  emit(event: ExchangeEvent): void;
}

/** The book of a market, opened at the first call. */
export function bookOf(state: ExchangeState, market: VenueMarket): OpenBook {
  const known = state.books.get(market.slug);
  if (known !== undefined) return known;
  const trades = state.records.trades
    .all()
    .filter(({ slug }) => slug === market.slug)
    .reverse();
  const fresh = { market, book: new MatchingBook<VenueOrder>(), trades, lastPrice: null };
  state.books.set(market.slug, fresh);
  if (state.books.size > POOL_VENUE.endedKept) dropEndedBook(state);
  return fresh;
}

/** Books of ended markets are opened by who reads them: the oldest makes room. */
function dropEndedBook({ books, clock }: ExchangeState): void {
  for (const [slug, { market }] of books) {
    if (market.endsAtMs > clock.nowMs()) continue;
    books.delete(slug);
    return;
  }
}

/** Remembers what changed of an order; the market maker's are forgotten when they end. */
export function keepOrder(state: ExchangeState, order: VenueOrder): void {
  order.updatedAtMs = state.clock.nowMs();
  const mine = state.open.get(order.account) ?? new Map<string, VenueOrder>();
  if (isOpen(order)) {
    mine.set(order.orderId, order);
    state.open.set(order.account, mine);
  } else {
    mine.delete(order.orderId);
    if (mine.size === 0) state.open.delete(order.account);
  }
  if (order.ownerId !== MAKER_ID) state.records.orders.put(order.orderId, order);
}

/** True for an order that may still trade. */
export function isOpen({ status }: Pick<VenueOrder, 'status'>): boolean {
  return status === 'LIVE' || status === 'DELAYED';
}

/** What open orders and trades under way promise of an account, micros. */
export interface Promised {
  readonly usdc: number;
  /** Of a market's YES and NO. */
  readonly shares: readonly [number, number];
}

/** What is promised, of dollars everywhere and of shares in one market. */
export function promisedBy(state: ExchangeState, account: string, slug: string): Promised {
  let usdc = 0;
  const shares: [number, number] = [0, 0];
  for (const order of state.open.get(account)?.values() ?? []) {
    if (order.side === 'buy') usdc += lockedMicros(order);
    else if (order.slug === slug) shares[order.outcome] += lockedMicros(order);
  }
  for (const trade of state.underWay.values()) {
    for (const part of [trade.taker, ...trade.makers]) {
      if (part.account !== account) continue;
      if (part.side === 'buy') usdc += part.usdc;
      else if (trade.slug === slug) shares[part.outcome] += part.shares;
    }
  }
  return { usdc, shares };
}

/** What an open order keeps back: dollars of a buy, shares of a sale. */
export function lockedMicros(order: VenueOrder): number {
  if (order.side === 'sell') return order.remaining;
  if (order.type === 'FOK') return order.originalMicros;
  return mulDiv(order.remaining, order.price, TICKS_PER_USD, 'ceil');
}

/** Drops the oldest finished records beyond what is kept. */
export function dropOld<T>(
  store: RecordStore<T>,
  most: number,
  keyOf: (record: T) => string,
  isDone: (record: T) => boolean,
): void {
  if (store.size() <= most * 1.1) return;
  const done = store.all().filter(isDone);
  for (const record of done.slice(0, store.size() - most)) store.remove(keyOf(record));
}
