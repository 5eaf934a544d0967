/** Bounds of the settlement of trades on the sandbox's chain, each with its reason. */

/** The venue's operator and what follows the chain for it. */
export const CHAIN_VENUE = {
  /** Between two looks at the chain: a block is made at once, and nobody sees a fill settle faster than a moment. */
  lookMs: 150,
  /** Blocks on top, the own one included, after which a trade is final: that of the queue of the operator's account. */
  finalAfterBlocks: 3,
  /** Transactions tried for one trade before it fails: a maker who has moved the funds will not bring them back. */
  attemptsMaximum: 3,
  /** Looks between two attempts. */
  looksPerAttempt: 10,
  /** Markets asked about at once. */
  marketsPerLook: 200,
  /** Balances asked for at once. */
  balancesPerCall: 200,
  /** Collateral the house is given when it has less than half of it, micros: a billion USD. */
  houseMicros: 1_000_000_000_000_000n,
  /** Sets the house makes at least when it lacks shares, micros: ten thousand shares, so that most matches need none. */
  setsMinimumMicros: 10_000_000_000n,
} as const;
