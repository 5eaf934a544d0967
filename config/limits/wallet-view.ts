/** Bounds of looking at wallets, each with its reason. */

/** Views of wallets. */
export const WALLET_VIEW = {
  /**
   * A caller who asks again and again gets the same answer for a while: blocks take two seconds.
   */
  keptMs: 1_000,
  /** Users whose newest view is kept. */
  keptMaximum: 2_000,
  /**
   * A chain that has not answered by then is left out and named: with its prices an answer takes
   * three seconds at most (web3.md section 7).
   */
  chainWaitMs: 2_000,
  /** Tickers of what just lies in a Solana wallet are waited for so long, within that. */
  namesWaitMs: 500,
  /** Prices that are nowhere yet are waited for so long. */
  priceWaitMs: 800,
  /**
   * Tokens shown of one Solana wallet: anybody can send anything there. Known tokens come first.
   */
  tokensMaximum: 100,
  /**
   * Tokens a user may add on all chains together: all of one chain are read in one multicall with
   * those traded and known, which takes 150.
   */
  addedMaximum: 30,
} as const;
