import type { BookLevel } from './book.ts';
import type { FillLeg } from './fill.ts';
import { isResting, type OrderIntent } from './order.ts';
import { TICKS_PER_USD, mulDiv, shareMicros, type PriceTicks, type ShareMicros } from './units.ts';

/** The part of an intent that decides what it may trade. */
export type PaperRequest = Pick<
  OrderIntent,
  'side' | 'life' | 'price' | 'spendMicros' | 'receiveMicros' | 'exact'
>;

/** What an order took from a book on arrival. */
export interface PaperTake {
  /** Best price first; empty when nothing was taken. */
  readonly legs: readonly FillLeg[];
  readonly shares: ShareMicros;
  /** False when the book had less than the order asked for at its price. */
  readonly isWhole: boolean;
}

/**
 * An order that rests on paper, behind everybody who was there before. Only trades at its price
 * move the queue on: what others take back ahead of it is not seen, so it never gets its turn too
 * early.
 */
export interface PaperResting {
  readonly remaining: ShareMicros;
  /** Shares that rest before it at its price; null until a trusted book has shown it. */
  readonly ahead: number | null;
  /**
   * Most shares ever seen on the other side at its price or better, and what of them is spoken for.
   */
  readonly seen: number;
  readonly spent: number;
}

/** Both sides of a book, best first. */
export interface PaperBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** A trade others made in the token. */
export interface PaperTrade {
  readonly price: PriceTicks;
  readonly shares: number;
}

/**
 * What an arriving order takes of the visible book: level by level, at most what is shown, at no
 * worse a price than it named. All or nothing where it says so. A buy that does not rest and is
 * exact in what it spends pays a sum; shares are rounded down, in all to whole steps of the venue.
 * The book is not changed: paper orders do not see one another.
 */
export function takeVisible(request: PaperRequest, book: PaperBook, stepMicros: number): PaperTake {
  const { legs: reached, isWhole } =
    request.side === 'buy' && request.exact === 'spend' && !isResting(request)
      ? legsForSum(request, levelsFor(request, book))
      : legsForShares(request, levelsFor(request, book));
  const legs = inSteps(reached, stepMicros);
  const taken = request.life === 'all_now' && !isWhole ? [] : legs;
  return {
    legs: taken,
    shares: shareMicros(taken.reduce((sum, leg) => sum + leg.shares, 0)),
    isWhole,
  };
}

/** Leaves what is beyond whole steps, where it is worst, and legs of nothing. */
function inSteps(legs: readonly FillLeg[], stepMicros: number): readonly FillLeg[] {
  let beyond = legs.reduce((sum, leg) => sum + leg.shares, 0) % stepMicros;
  return legs
    .toReversed()
    .map((leg) => {
      const left = Math.min(beyond, leg.shares);
      beyond -= left;
      return { ...leg, shares: shareMicros(leg.shares - left) };
    })
    .filter(({ shares }) => shares > 0)
    .toReversed();
}

/** Puts what an arriving order did not take at the end of the queue at its price. */
export function rest(
  request: PaperRequest,
  book: PaperBook | null,
  taken: ShareMicros,
): PaperResting {
  const remaining = shareMicros(sharesWanted(request) - taken);
  if (book === null) return { remaining, ahead: null, seen: 0, spent: 0 };
  const seen = depthAcross(request, book);
  return { remaining, ahead: aheadAt(request, book), seen, spent: seen };
}

/**
 * Moves the queue on by a trade, and gives the shares this order got of it: never more than were
 * traded.
 */
export function onTrade(
  request: PaperRequest,
  resting: PaperResting,
  trade: PaperTrade,
): { readonly resting: PaperResting; readonly filled: ShareMicros } {
  if (resting.ahead === null || isBeyond(request, trade.price))
    return { resting, filled: shareMicros(0) };
  const isThrough = trade.price !== request.price;
  const ahead = isThrough ? 0 : Math.max(0, resting.ahead - trade.shares);
  const reached = isThrough ? trade.shares : Math.max(0, trade.shares - resting.ahead);
  const filled = shareMicros(Math.min(resting.remaining, reached));
  return {
    resting: { ...resting, ahead, remaining: shareMicros(resting.remaining - filled) },
    filled,
  };
}

/**
 * Fills a resting order against a book that has crossed it: each share that is shown there counts
 * once, however long it is shown.
 */
export function onBook(
  request: PaperRequest,
  resting: PaperResting,
  book: PaperBook,
): { readonly resting: PaperResting; readonly filled: ShareMicros } {
  if (resting.ahead === null)
    return {
      resting: { ...rest(request, book, shareMicros(0)), remaining: resting.remaining },
      filled: shareMicros(0),
    };
  const seen = Math.max(resting.seen, depthAcross(request, book));
  const filled = shareMicros(Math.min(resting.remaining, seen - resting.spent));
  return {
    resting: {
      ...resting,
      seen,
      spent: resting.spent + filled,
      remaining: shareMicros(resting.remaining - filled),
    },
    filled,
  };
}

/**
 * Shares an order asks for. A buy that does not rest asks for a sum instead: its shares are the
 * least it takes.
 */
export function sharesWanted({ side, spendMicros, receiveMicros }: PaperRequest): ShareMicros {
  return shareMicros(side === 'buy' ? receiveMicros : spendMicros);
}

function legsForSum(
  { spendMicros }: PaperRequest,
  asks: readonly BookLevel[],
): Pick<PaperTake, 'legs' | 'isWhole'> {
  const legs: FillLeg[] = [];
  let leftMicros = spendMicros;
  for (const level of asks) {
    const wholeMicros = mulDiv(level.size, level.price, TICKS_PER_USD, 'ceil');
    const shares =
      wholeMicros <= leftMicros
        ? level.size
        : mulDiv(leftMicros, TICKS_PER_USD, level.price, 'floor');
    legs.push({ price: level.price, shares: shareMicros(shares) });
    leftMicros -= Math.min(wholeMicros, leftMicros);
  }
  return { legs, isWhole: leftMicros <= 0 };
}

function legsForShares(
  request: PaperRequest,
  levels: readonly BookLevel[],
): Pick<PaperTake, 'legs' | 'isWhole'> {
  const legs: FillLeg[] = [];
  let left: number = sharesWanted(request);
  for (const level of levels) {
    const shares = Math.min(level.size, left);
    legs.push({ price: level.price, shares: shareMicros(shares) });
    left -= shares;
  }
  return { legs, isWhole: left <= 0 };
}

/** Levels of the other side at the order's price or better. */
function levelsFor({ side, price }: PaperRequest, { bids, asks }: PaperBook): readonly BookLevel[] {
  return side === 'buy'
    ? asks.filter((level) => level.price <= price)
    : bids.filter((level) => level.price >= price);
}

function depthAcross(request: PaperRequest, book: PaperBook): number {
  return levelsFor(request, book).reduce((sum, level) => sum + level.size, 0);
}

function aheadAt({ side, price }: PaperRequest, { bids, asks }: PaperBook): number {
  return (side === 'buy' ? bids : asks).find((level) => level.price === price)?.size ?? 0;
}

/** True for a price at which this order would not have traded. */
function isBeyond({ side, price }: PaperRequest, traded: PriceTicks): boolean {
  return side === 'buy' ? traded > price : traded < price;
}
