import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { Runtime } from '../../../../ports/runtime.ts';
import type { FaultBoard } from '../../../faults.ts';
import { everyTick } from '../../../ticks.ts';
import type { Bank, Holdings } from './bank.ts';
import type { Catalogue } from './catalogue.ts';
import {
  bookOf,
  dropOld,
  isOpen,
  keepOrder,
  type ExchangeEvent,
  type ExchangeRecords,
  type ExchangeState,
  type OpenBook,
} from './exchange-state.ts';
import { payoutMicros, type VenueMarket, type Ending } from './market.ts';
import { isFinal, type OrderTerms, type VenueOrder, type VenueTrade } from './order.ts';
import { endOrder, holdBack, placeOrder, type Placed } from './placing.ts';
import { takeNews } from './trading.ts';
import type { Values } from './values.ts';

/** The venue's order books: markets, orders, trades, and how markets end. */
export interface BookExchange {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly values: Values;
  /** Markets that can be traded, the next to end first. */
  markets(): readonly VenueMarket[];
  /** A market by its slug, one that has ended too; null for none. */
  market(slug: string): VenueMarket | null;
  /** The markets of a group, open or ended; empty for none of that name. */
  group(slug: string): readonly VenueMarket[];
  /** Null while it has none. */
  ending(market: VenueMarket): Ending | null;
  book(market: VenueMarket): OpenBook;
  /** Takes an order of a user's in. Errors: `chain_unavailable`. */
  place(market: VenueMarket, terms: OrderTerms): Promise<Placed>;
  /** Takes an order of the market maker's in. */
  quote(market: VenueMarket, terms: OrderTerms): VenueOrder | null;
  order(orderId: string): VenueOrder | null;
  trade(tradeId: string): VenueTrade | null;
  /** Open orders of an account. */
  openOf(account: string): readonly VenueOrder[];
  /** Orders of a profile, oldest first. */
  ordersOf(ownerId: number): readonly VenueOrder[];
  /** Trades an account takes part in, oldest first. */
  tradesOf(account: string): readonly VenueTrade[];
  holdings(account: string, market: VenueMarket): Promise<Holdings>;
  /** Ends an open order; false for one that is not. */
  cancel(order: VenueOrder): boolean;
  /** Ends a market before its time. */
  endEarly(market: VenueMarket, winner: OutcomeIndex): void;
  subscribe(listener: (event: ExchangeEvent) => void): () => void;
  stop(): void;
}

/** Between the end of a market and its result. */
const RESOLVED_AFTER_MS = 3_000;
const TICK_MS = 1_000;

/** Opens the exchange, going on with the orders and trades that are kept. */
export function openExchange(
  parts: Pick<Runtime, 'clock' | 'random'> & {
    readonly faults: FaultBoard;
    readonly catalogue: Catalogue;
    readonly values: Values;
    readonly bank: Bank;
    readonly records: ExchangeRecords;
    /** Markets traded elsewhere than here, by their slugs: they are paid as well. */
    readonly elsewhere: () => readonly string[];
  },
): BookExchange {
  const { clock, catalogue, values, bank, records, faults } = parts;
  const listeners = new Set<(event: ExchangeEvent) => void>();
  const state: ExchangeState = {
    clock,
    random: parts.random,
    faults,
    bank,
    records,
    books: new Map(),
    open: new Map(),
    underWay: new Map(),
    clientIds: new Set(),
    emit(event) {
      for (const listener of listeners) listener(event);
    },
  };
  const marketOf = (slug: string) => catalogue.find(slug, clock.nowMs());

  /** Keeps how a market has ended: as it did, or void where that is armed. */
  function decide({ slug }: VenueMarket, winner: Ending['winner']): Ending {
    const isVoided = faults.take('market-voided', { marketId: slug }) !== null;
    const ending = { slug, winner: isVoided ? null : winner, atMs: clock.nowMs() };
    records.endings.put(slug, ending);
    return ending;
  }

  function endingOf(market: VenueMarket): Ending | null {
    const known = records.endings.get(market.slug);
    if (known !== null) return known;
    if (clock.nowMs() < market.endsAtMs + RESOLVED_AFTER_MS) return null;
    const ending = decide(market, values.endingOf(market).winner);
    dropOld(
      records.endings,
      POOL_VENUE.endedKept,
      ({ slug }) => slug,
      () => true,
    );
    return ending;
  }

  function endMarket(market: VenueMarket): boolean {
    const open = bookOf(state, market);
    // what ends leaves its map while it is walked, which a map allows
    for (const mine of state.open.values())
      for (const order of mine.values())
        if (order.slug === market.slug) endOrder(state, open, order);
    const ending = endingOf(market);
    if (ending === null) return false;
    bank.pay(market, [payoutMicros(ending, 0), payoutMicros(ending, 1)]);
    state.emit({ kind: 'resolved', market, ending });
    state.books.delete(market.slug);
    return true;
  }

  bank.onNews((news) => takeNews(state, news));
  restore(state, marketOf);
  const running = new Map(catalogue.listedAt(clock.nowMs()).map((each) => [each.slug, each]));
  // what was traded and ended while the venue was off is paid now
  const traded = [...records.orders.all(), ...records.trades.all()].map(slugOf);
  for (const slug of new Set([...traded, ...parts.elsewhere()])) {
    const market = marketOf(slug);
    if (market !== null) running.set(slug, market);
  }
  const tick = everyTick(clock, { stepMs: TICK_MS, delayMs: 0 }, () => {
    const nowMs = clock.nowMs();
    for (const market of catalogue.listedAt(nowMs)) {
      if (running.has(market.slug)) continue;
      running.set(market.slug, market);
      state.emit({ kind: 'listed', market });
    }
    for (const [slug, market] of running)
      if (nowMs >= market.endsAtMs && endMarket(market)) running.delete(slug);
  });

  return {
    clock,
    faults,
    values,
    markets: () => catalogue.listedAt(clock.nowMs()),
    market: marketOf,
    group: (slug) => catalogue.group(slug),
    ending: endingOf,
    book: (market) => bookOf(state, market),
    async place(market, terms) {
      for (;;) {
        const before = bank.version();
        const read = await bank.read(terms.account, market);
        if (bank.version() !== before) continue;
        if (clock.nowMs() >= market.endsAtMs || endingOf(market) !== null)
          return { kind: 'refused', status: 400, message: 'Market is not active' };
        const subject = { address: terms.account, marketId: market.slug };
        const isMissing = faults.take('allowance-missing', subject) !== null;
        const none = isMissing ? { usdcAllowed: 0, areSharesAllowed: false } : {};
        return placeOrder(state, market, terms, { ...read, ...none });
      }
    },
    quote(market, terms) {
      const placed = placeOrder(state, market, terms, null);
      return placed.kind === 'taken' ? placed.order : null;
    },
    order: (orderId) => records.orders.get(orderId),
    trade: (tradeId) => records.trades.get(tradeId),
    openOf: (account) => [...(state.open.get(account)?.values() ?? [])],
    ordersOf: (ownerId) => records.orders.all().filter((order) => order.ownerId === ownerId),
    tradesOf: (account) =>
      records.trades
        .all()
        .filter(({ taker, makers }) => [taker, ...makers].some((part) => part.account === account)),
    holdings: (account, market) => bank.read(account, market),
    cancel(order) {
      const market = marketOf(order.slug);
      if (market === null || order.status !== 'LIVE') return false;
      endOrder(state, bookOf(state, market), order);
      return true;
    },
    endEarly(market, winner) {
      decide(market, winner);
      endMarket(market);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => tick.cancel(),
  };
}

function slugOf({ slug }: { readonly slug: string }): string {
  return slug;
}

/** Puts kept orders back into the books and lets kept trades go on. */
function restore(state: ExchangeState, marketOf: (slug: string) => VenueMarket | null): void {
  const { records, bank } = state;
  for (const trade of records.trades.all()) {
    if (isFinal(trade)) continue;
    if (trade.status !== 'MINED') state.underWay.set(trade.tradeId, trade);
    bank.settle(trade);
  }
  for (const order of records.orders.all()) {
    if (order.clientOrderId !== null)
      state.clientIds.add(`${order.ownerId} ${order.clientOrderId}`);
    if (!isOpen(order)) continue;
    const market = marketOf(order.slug);
    if (market === null) {
      order.status = 'CANCELED';
      keepOrder(state, order);
      continue;
    }
    keepOrder(state, order);
    if (order.status === 'DELAYED') holdBack(state, market, order, POOL_VENUE.takerDelayMs);
    else bookOf(state, market).book.add(order);
  }
}

/** What a book shows of YES: the middle of it, the last trade, or the value; 0 to 1. */
export function shownPrice(exchange: BookExchange, market: VenueMarket): number {
  const ending = exchange.ending(market);
  if (ending !== null) return payoutMicros(ending, 0) / 1_000_000;
  const { book, lastPrice } = exchange.book(market);
  const [bid, ask] = [book.best('bid'), book.best('ask')];
  if (bid !== null && ask !== null) return (bid + ask) / 20_000;
  if (lastPrice !== null) return lastPrice / 10_000;
  return exchange.values.fairAt(market, exchange.clock.nowMs()) ?? 0.5;
}
