/**
 * Figures of the recorded books: 2,940 depth snapshots of 2026-07-23 with both sides
 * (venue_b-books, depth file). `test/sandbox/venues/venue-b/recorded-books.test.ts` compares the
 * modelled ones with them.
 */
export const BOOK_FIGURES = {
  /** Share of books with a spread of 1, 2, … cents; the rest is wider. */
  spreadShares: [0.28, 0.143, 0.088, 0.083, 0.077, 0.066, 0.056] as readonly number[],
  /** Share of levels that are quoted, by cents behind the best. */
  presence: [
    1, 0.8, 0.74, 0.7, 0.66, 0.54, 0.42, 0.36, 0.33, 0.33, 0.32, 0.27,
  ] as readonly number[],
  /** Median size of a quoted level by the same. */
  medianSize: [
    800, 1_473, 1_839, 1_260, 600, 500, 450, 491, 329, 159, 100, 67,
  ] as readonly number[],
  /** The same of the five lowest cents, where orders are left lying. */
  floorSize: [4_108, 1_507, 774, 178, 251] as readonly number[],
  /** Standard deviation of the logarithm of a level's size. */
  logSizeDeviation: 1.9,
  /** Levels on a side. */
  levels: 18,
} as const;
