/** Bounds of the search for what others send to users' own wallets, each with its reason. */

/** Polls of one EVM chain. */
export const EVM_ARRIVALS = {
  /** A start has more urgent questions, and a local chain starts with the first. */
  firstPollMs: 30_000,
  /** Some blocks: each poll is three questions for every hundred users. */
  intervalMs: 15_000,
  /** A chain that does not answer is asked ever less often. */
  intervalMaximumMs: 240_000,
  /** Between two questions of one poll: some eight a second, however many users there are. */
  paceMs: 120,
  /** Blocks on top of an event, its own included: that of own transactions (EVM_RAIL). */
  confirmations: 3,
  /** Blocks in one question: what nodes answer (CHAIN). */
  blocksPerQuestion: 2_000,
  /** Blocks read after an absence: ten hours of the fastest chain; older are left out. */
  blocksBehindMaximum: 150_000,
  /** How far the mark of what was read may lie behind: read again after a kill. */
  markStepBlocks: 200,
  /** Wallets in one question for coins: what a multicall takes (CHAIN). */
  walletsPerQuestion: 140,
  /** Less of a dollar is no arrival: strangers send dust, so that their address is copied. */
  dollarsMinimumMicros: 10_000,
  /** Less of a coin counts as zero: at most some cents. */
  weiMinimum: 10_000_000_000_000n,
  /**
   * Unknown tokens that a user has on a chain: the first are kept, shown and marked; anybody
   * may send any number. They are read in one multicall with all others of a view.
   */
  unknownPerUserMaximum: 10,
  /**
   * A node that has no longer the balances of a block where something of the user's own happened
   * is asked so long; then what came beside it is not reported. Nodes keep some minutes at least,
   * and local chains none over a restart.
   */
  historyWaitMs: 120_000,
  /** Events decided in one poll, in one commit: the others wait for the next. */
  decidedPerPoll: 500,
  /** Unknown tokens that are asked about in one reading. */
  unknownPerPoll: 20,
  /**
   * A swap that ended so long before the last change of a coin is no longer asked about: longer
   * than its end lies behind what it brought.
   */
  swapEndsWithinMs: 3_600_000,
} as const;
