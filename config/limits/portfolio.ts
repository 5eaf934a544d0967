/** Bounds of the portfolio over all venues. */
export const PORTFOLIO = {
  /**
   * Open positions of one venue in one answer: each has its book looked up. More are in its own
   * lists.
   */
  positionsMaximum: 200,
} as const;
