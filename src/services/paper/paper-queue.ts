import { PAPER } from '../../../config/limits/paper.ts';
import type { BookView } from '../../domain/book.ts';
import { asId, type OrderId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import { onBook, onTrade, type PaperResting, type PaperTrade } from '../../domain/paper-fill.ts';
import type { Clock } from '../../ports/clock.ts';
import { createRestingBoard } from '../orders/resting-board.ts';

/** A resting paper order with its place in the queue. */
export interface PaperQueued {
  readonly userId: UserId;
  readonly orderId: OrderId;
  readonly intent: OrderIntent;
  readonly place: PaperResting;
}

/**
 * The paper orders that rest, each moved on by what others trade at its price and by the book. In
 * memory: the records say what rests.
 */
export interface PaperQueue {
  /** Orders that rest. */
  size(): number;
  keep(order: PaperQueued): void;
  /** Takes an order out; one that is not in it is ignored. */
  release(order: Pick<PaperQueued, 'intent' | 'orderId'>): void;
  /**
   * Takes in a trade of the real venue; beyond PAPER.tradesKeptMaximum a token and interval it is
   * let go, so an order fills rather too late than too early.
   */
  onTrade(tokenId: TokenId, trade: PaperTrade): void;
  stop(): void;
}

/**
 * Makes an empty queue that looks at books and trades every PAPER.restingIntervalMs while an order
 * rests.
 */
export function createPaperQueue({
  clock,
  bookOf,
  onMove,
}: {
  readonly clock: Clock;
  /** A book that can be trusted now; null without one. */
  readonly bookOf: (tokenId: TokenId) => BookView | null;
  /**
   * Called for an order that got shares (micros, 0 for none), or whose time is over; one that is
   * done is out of the queue by then.
   */
  readonly onMove: (order: PaperQueued, filled: number, isExpired: boolean) => void;
}): PaperQueue {
  const trades = new Map<string, PaperTrade[]>();
  const board = createRestingBoard<PaperQueued>({
    clock,
    intervalMs: PAPER.restingIntervalMs,
    check: compare,
  });

  function release({
    intent: { tokenId },
    orderId,
  }: Pick<PaperQueued, 'intent' | 'orderId'>): void {
    board.release(tokenId, orderId);
    if (!board.has(tokenId)) trades.delete(tokenId);
  }

  /** Moves the orders of one token on by what was traded since, and by the book. */
  function compare(tokenId: string, orders: ReadonlyMap<string, PaperQueued>): void {
    const printed = trades.get(tokenId) ?? [];
    trades.delete(tokenId);
    const book = bookOf(asId<TokenId>(tokenId));
    for (const order of orders.values()) {
      const place = placeAfter(order, printed, book);
      const filled = order.place.remaining - place.remaining;
      const isExpired = (order.intent.expiresAtMs ?? Number.POSITIVE_INFINITY) <= clock.nowMs();
      const moved = { ...order, place };
      if (isExpired || place.remaining === 0) release(moved);
      else board.keep(tokenId, order.orderId, moved);
      if (filled > 0 || isExpired) onMove(moved, filled, isExpired);
    }
  }

  return {
    size: board.size,
    keep: (order) => board.keep(order.intent.tokenId, order.orderId, order),
    release,
    onTrade(tokenId, trade) {
      if (!board.has(tokenId)) return;
      const kept = trades.get(tokenId) ?? [];
      if (kept.length < PAPER.tradesKeptMaximum) kept.push(trade);
      trades.set(tokenId, kept);
    },
    stop: board.stop,
  };
}

function placeAfter(
  { intent, place }: PaperQueued,
  printed: readonly PaperTrade[],
  book: BookView | null,
): PaperResting {
  const afterTrades = printed.reduce((now, trade) => onTrade(intent, now, trade).resting, place);
  return book === null ? afterTrades : onBook(intent, afterTrades, book).resting;
}
