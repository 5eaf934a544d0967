/** Bounds of what others write about markets. */
export const MARKET_WORDS = {
  /**
   * Question, title, slug, outcome: the longest seen are 200, and they are stored with every order
   * and position.
   */
  wordsMaximumChars: 500,
} as const;
