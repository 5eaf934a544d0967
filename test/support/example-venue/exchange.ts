import type { TradeStatus, StatedFee } from '../../../src/domain/fill.ts';
import type { BookLevel } from '../../../src/domain/book.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import type { OrderLife, TradeSide } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';

/** An order as it arrives. */
export interface ExampleOrder {
  /** Named by the sender: the same reference is taken once. */
  readonly reference: string;
  readonly account: string;
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
  readonly side: TradeSide;
  readonly life: OrderLife;
  readonly price: number;
  /** Whole shares. */
  readonly shares: number;
  /** Not taken any more after this moment, epoch ms. */
  readonly goodUntilMs: number;
  /** When it stops resting; null where it rests until it is cancelled. */
  readonly endsAtMs: number | null;
}

/** An order as the venue keeps it. */
export interface KeptOrder extends ExampleOrder {
  /** The venue's own, stated in its answer and not before. */
  readonly number: string;
  status: 'open' | 'done' | 'cancelled' | 'ended';
  matched: number;
}

/** One side of a trade. */
export interface KeptTrade {
  readonly tradeId: string;
  readonly order: KeptOrder;
  readonly role: 'maker' | 'taker';
  readonly shares: number;
  /** Of the order's own outcome, ticks. */
  readonly price: number;
  readonly fee: StatedFee;
  readonly atMs: number;
  word: TradeStatus;
}

/** What the venue says by itself. */
export type ExampleNews =
  | { readonly kind: 'order'; readonly order: KeptOrder }
  | { readonly kind: 'trade'; readonly trade: KeptTrade }
  | { readonly kind: 'book'; readonly marketId: MarketId }
  | { readonly kind: 'resolved'; readonly marketId: MarketId };

/** The answer to an order. */
export type ExampleAnswer =
  | { readonly kind: 'taken'; readonly order: KeptOrder }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly reason: string };

/** How long a trade takes to become final, ms. */
const SETTLES_AFTER_MS = 2_000;
/** What the venue keeps of shares bought and of money from sales, in hundredths. */
export const FEE_PERCENT = 2;

/** Of an order, whole ones. */
export const SMALLEST_SHARES = 5;
const MICROS = 1_000_000;

/** What an example venue may do or not. */
export interface ExampleHabits {
  readonly keepsOrders: boolean;
  readonly listsTrades: boolean;
}

/**
 * The example venue's own side, in memory: one book a market, whose second outcome mirrors the
 * first; whole shares at whole cents; fees stated with each trade, in shares of a purchase and in
 * cash of a sale; trades final after two seconds; winners paid by itself. It outlives every process
 * of the service.
 */
export class ExampleExchange {
  readonly clock: Clock;
  /** False where users' orders trade at once or not at all. */
  readonly keepsOrders: boolean;
  /** False where trades come with their order alone. */
  readonly listsTrades: boolean;
  readonly orders = new Map<string, KeptOrder>();
  readonly trades: KeptTrade[] = [];
  readonly payouts = new Map<
    MarketId,
    { readonly ticks: readonly [number, number]; readonly atMs: number }
  >();
  readonly deposits: {
    readonly id: string;
    readonly account: string;
    readonly micros: number;
    readonly atMs: number;
  }[] = [];
  /** What becomes of the next orders on their way: taken without an answer, or lost. */
  readonly accidents: ('unanswered' | 'lost')[] = [];
  /** How the next trades end; the others are confirmed. */
  readonly endings: TradeStatus[] = [];
  /** Orders as they arrived, sent twice or not. */
  readonly arrived: string[] = [];
  readonly #garbled = new WeakSet<ExampleNews>();
  #garbles = false;
  readonly #cash = new Map<string, number>();
  readonly #shares = new Map<string, number>();
  readonly #listeners = new Set<(news: ExampleNews) => void>();

  constructor(
    clock: Clock,
    { keepsOrders = true, listsTrades = true }: Partial<ExampleHabits> = {},
  ) {
    this.clock = clock;
    this.keepsOrders = keepsOrders;
    this.listsTrades = listsTrades;
  }

  subscribe(listener: (news: ExampleNews) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  deposit(account: string, micros: number): void {
    const id = `in-${this.deposits.length + 1}`;
    this.deposits.push({ id, account, micros, atMs: this.clock.nowMs() });
    this.#pay(account, micros);
  }

  /** Micros. */
  cash(account: string): number {
    return this.#cash.get(account) ?? 0;
  }

  /** Micros. */
  shares(account: string, marketId: MarketId, outcome: OutcomeIndex): number {
    return this.#shares.get(`${account} ${marketId} ${outcome}`) ?? 0;
  }

  /** Takes an order by its reference, once, unless it came too late. */
  place(order: ExampleOrder): ExampleAnswer {
    this.arrived.push(order.reference);
    if (this.orders.has(order.reference)) return { kind: 'known' };
    if (this.clock.nowMs() > order.goodUntilMs)
      return { kind: 'refused', reason: 'came after it was good' };
    if (order.life === 'rests' && order.account !== 'other' && !this.keepsOrders)
      return { kind: 'refused', reason: 'no orders are kept here' };
    if (order.shares < SMALLEST_SHARES)
      return { kind: 'refused', reason: `fewer than ${SMALLEST_SHARES} shares` };
    if (this.payouts.has(order.marketId)) return { kind: 'refused', reason: 'market is over' };
    const kept: KeptOrder = {
      ...order,
      number: `ex-${this.orders.size + 1}`,
      status: 'open',
      matched: 0,
    };
    this.orders.set(order.reference, kept);
    if (order.life !== 'all_now' || this.#withinReach(kept) >= order.shares) this.#match(kept);
    if (kept.status === 'open' && order.life !== 'rests')
      kept.status = kept.matched > 0 ? 'done' : 'cancelled';
    if (order.endsAtMs !== null)
      this.clock.after(order.endsAtMs - this.clock.nowMs(), () => this.#end(kept, 'ended'));
    this.#tell({ kind: 'order', order: kept });
    this.#tell({ kind: 'book', marketId: order.marketId });
    return { kind: 'taken', order: kept };
  }

  /** Ends an order that rests; false where none does. */
  cancel(reference: string): boolean {
    const order = this.orders.get(reference);
    return order !== undefined && this.#end(order, 'cancelled');
  }

  /** Ends a market and pays its winners. */
  resolve(marketId: MarketId, ticks: readonly [number, number]): void {
    this.payouts.set(marketId, { ticks, atMs: this.clock.nowMs() });
    for (const order of this.orders.values())
      if (order.marketId === marketId) this.#end(order, 'cancelled');
    for (const [key, micros] of this.#shares) {
      const [account = '', market, outcome] = key.split(' ');
      if (market !== marketId) continue;
      this.#pay(
        account,
        Math.floor((micros * (ticks[outcome === '0' ? 0 : 1] ?? 0)) / TICKS_PER_USD),
      );
      this.#shares.delete(key);
    }
    this.#tell({ kind: 'resolved', marketId });
  }

  /** The book of an outcome, best first. */
  book(
    marketId: MarketId,
    outcome: OutcomeIndex,
  ): { readonly bids: BookLevel[]; readonly asks: BookLevel[] } {
    const levels = (isBid: boolean): BookLevel[] => {
      const sizes = new Map<number, number>();
      for (const order of this.#resting(marketId))
        if ((buysFirst(order) === (outcome === 0)) === isBid) {
          const price = order.outcome === outcome ? order.price : TICKS_PER_USD - order.price;
          sizes.set(price, (sizes.get(price) ?? 0) + order.shares - order.matched);
        }
      return [...sizes]
        .toSorted(([one], [other]) => (isBid ? other - one : one - other))
        .map(([price, shares]) => ({
          price: priceTicks(price),
          size: shareMicros(shares * MICROS),
        }));
    };
    return { bids: levels(true), asks: levels(false) };
  }

  #resting(marketId: MarketId): KeptOrder[] {
    return [...this.orders.values()].filter(
      (order) => order.status === 'open' && order.life === 'rests' && order.marketId === marketId,
    );
  }

  /** Orders that rest against one, the best for it first. */
  #opposite(order: KeptOrder): KeptOrder[] {
    return this.#resting(order.marketId)
      .filter(
        (other) =>
          other !== order && buysFirst(other) !== buysFirst(order) && crosses(order, other),
      )
      .toSorted(
        (one, other) => (firstPrice(one) - firstPrice(other)) * (buysFirst(order) ? 1 : -1),
      );
  }

  #withinReach(order: KeptOrder): number {
    return this.#opposite(order).reduce((sum, { shares, matched }) => sum + shares - matched, 0);
  }

  #match(taker: KeptOrder): void {
    for (const maker of this.#opposite(taker)) {
      const shares = Math.min(taker.shares - taker.matched, maker.shares - maker.matched);
      if (shares === 0) return;
      const ticks = firstPrice(maker);
      const tradeId = `tr-${this.trades.length + 1}`;
      const ending = this.endings.shift() ?? 'confirmed';
      for (const [order, role] of [
        [maker, 'maker'],
        [taker, 'taker'],
      ] as const) {
        order.matched += shares;
        if (order.matched === order.shares) order.status = 'done';
        const price = order.outcome === 0 ? ticks : TICKS_PER_USD - ticks;
        this.#trade({ tradeId, order, role, shares, price }, ending);
      }
      this.#tell({ kind: 'order', order: maker });
    }
  }

  #trade(
    {
      tradeId,
      order,
      role,
      shares,
      price,
    }: Pick<KeptTrade, 'tradeId' | 'order' | 'role' | 'shares' | 'price'>,
    ending: TradeStatus,
  ): void {
    const paid = (shares * MICROS * price) / TICKS_PER_USD;
    const fee: StatedFee =
      order.side === 'buy'
        ? { unit: 'shares', micros: (shares * MICROS * FEE_PERCENT) / 100 }
        : { unit: 'cash', micros: (paid * FEE_PERCENT) / 100 };
    const atMs = this.clock.nowMs();
    const trade: KeptTrade = { tradeId, order, role, shares, price, fee, atMs, word: 'matched' };
    this.trades.push(trade);
    this.#move(trade, 1);
    this.#tell({ kind: 'trade', trade });
    this.clock.after(SETTLES_AFTER_MS, () => {
      trade.word = ending;
      if (ending === 'failed') this.#move(trade, -1);
      this.#tell({ kind: 'trade', trade });
    });
  }

  /** Moves what a trade is about, or back. */
  #move({ order, shares, price, fee }: KeptTrade, direction: 1 | -1): void {
    const key = `${order.account} ${order.marketId} ${order.outcome}`;
    const paid = (shares * MICROS * price) / TICKS_PER_USD;
    const [got, cash] =
      order.side === 'buy'
        ? [shares * MICROS - fee.micros, -paid]
        : [-shares * MICROS, paid - fee.micros];
    this.#shares.set(key, (this.#shares.get(key) ?? 0) + direction * got);
    this.#pay(order.account, direction * cash);
  }

  #end(order: KeptOrder, how: 'cancelled' | 'ended'): boolean {
    if (order.status !== 'open') return false;
    order.status = how;
    this.#tell({ kind: 'order', order });
    this.#tell({ kind: 'book', marketId: order.marketId });
    return true;
  }

  #pay(account: string, micros: number): void {
    this.#cash.set(account, this.cash(account) + micros);
  }

  /** The next news of a book goes out in an unreadable form. */
  garbleNext(): void {
    this.#garbles = true;
  }

  /** Reports whether these news of a book cannot be read. */
  isGarbled(news: ExampleNews): boolean {
    return this.#garbled.has(news);
  }

  #tell(news: ExampleNews): void {
    if (this.#garbles && news.kind === 'book') {
      this.#garbles = false;
      this.#garbled.add(news);
    }
    for (const listener of this.#listeners) listener(news);
  }
}

/** Whether an order is for more of the first outcome: it buys that one, or sells the other. */
function buysFirst({ side, outcome }: KeptOrder): boolean {
  return (side === 'buy') === (outcome === 0);
}

/** An order's price in terms of the first outcome. */
function firstPrice({ price, outcome }: KeptOrder): number {
  return outcome === 0 ? price : TICKS_PER_USD - price;
}

function crosses(taker: KeptOrder, maker: KeptOrder): boolean {
  return buysFirst(taker)
    ? firstPrice(maker) <= firstPrice(taker)
    : firstPrice(maker) >= firstPrice(taker);
}
