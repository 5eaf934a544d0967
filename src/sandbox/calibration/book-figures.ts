/** Phases of a window: the figures differ once the end is near. */
const BOOK_PHASES = ['early', 'late', 'last'] as const;
/** One phase of a window. */
export type BookPhase = (typeof BOOK_PHASES)[number];

/** What describes the books of one phase. */
export interface BookFigures {
  /** Share of the books with both sides whose spread is 1, 2, 3, and 4 or more cents. */
  readonly spreadShares: readonly [number, number, number, number];
  /** Share of the books without a bid or without an ask. */
  readonly oneSidedShare: number;
  /**
   * Mean shares at 0, 1, 2 … cents behind the best price of its side, own price 11 to 89 cents,
   * middle 20 to 80.
   */
  readonly meanDepth: readonly number[];
  /**
   * Standard deviation of the natural logarithm of one level's shares, behind the best price,
   * averaged over the levels.
   */
  readonly logSizeSpread: number;
  /**
   * Median shares at an own price of 1 … 10 cents (an ask at 99 has the own price 1), middle 20 to
   * 80.
   */
  readonly floorDepth: readonly number[];
}

/** How many cents behind the best price are described. */
export const DEPTH_LEVELS = 20;
/** Own prices near the floor that are described. */
export const FLOOR_LEVELS = 10;

/** The phase of a window with so many seconds left: early from 120 on, last below 30. */
export function phaseOf(secondsLeft: number): BookPhase {
  if (secondsLeft >= 120) return 'early';
  return secondsLeft >= 30 ? 'late' : 'last';
}
