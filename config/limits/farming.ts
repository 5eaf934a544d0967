/**
 * Bounds of the farming agents, each with its reason. Their thresholds are in
 * `src/domain/farming/venues.ts`, their settings in `AGENT.farming`.
 */
export const FARMING = {
  /**
   * The venue's listings are up to five minutes old behind its cache (venue_a.md section 10):
   * sooner shows the same again.
   */
  scanIntervalMs: 5 * 60_000,
  /**
   * A scan that failed is repeated after this, doubled up to the maximum: a newcomer's agents wait
   * for the first, and slots run dry.
   */
  scanRetryFirstMs: 5_000,
  scanRetryMaximumMs: 60_000,
  /**
   * Pages of 100: 5 300 of 23 600 recorded markets had the volume and the liquidity, so 150 leave
   * room for twice the venue.
   */
  scanPagesMaximum: 150,
  /** A listing older than this is no fact any more: two scans have failed since. */
  listingAgeMaximumMs: 15 * 60_000,
  /** Candidates kept of one scan, those that end first: 430 of the recorded markets passed. */
  candidatesMaximum: 1_000,
  /**
   * Markets whose last verdict is remembered, so that a receipt is written when it changes and not
   * at every scan.
   */
  notedMarketsMaximum: 5_000,
  /**
   * Shared receipts written in one scan: a newcomer sees what was left out and why, and the store
   * is not flooded.
   */
  notesPerScanMaximum: 40,
  /**
   * Candidates whose books are watched at once; each is a socket and a comparison every 2.5 s
   * (BOOKS.marketsMaximum is 100).
   */
  slots: 10,
  /**
   * A candidate gives its slot to the next one after this: time for its book, and for the agents
   * that want it.
   */
  slotMs: 45_000,
  /** And after this whatever the assessor does. */
  slotLongestMs: 180_000,
  /** Slots and held markets are checked this often, as the reviews of other agents are. */
  checkIntervalMs: 5_000,
  /** Held markets watched at once; more take turns. */
  heldWatchedMaximum: 20,
  /** A turn has room for three looks at a bid and one book that comes late. */
  heldTurnMs: 30_000,
  /**
   * Wait between two sales of one position: what was sold must be known before the rest is offered.
   */
  exitRetryMs: 30_000,
  /**
   * Sales of one position tried at that pace; then the wait doubles up to the maximum, for as long
   * as the position is held: a venue may refuse for hours, and a stop holds for months.
   */
  exitsQuick: 10,
  exitRetryMaximumMs: 10 * 60_000,
  /** Things one agent has before it at once; a task beyond them comes again with the next check. */
  tasksMaximum: 64,
  /** Times an entry that was refused for the moment is tried again while its candidate sits. */
  entriesMaximum: 4,
  /** Wait before that: a book or a lock is free again by then. */
  retryAfterMs: 3_000,
  /** A decision reads the store; longer means it hangs. */
  decisionTimeoutMs: 2_000,
  /** Longest wait for an order's first word, as AGENT.orderTimeoutMs. */
  orderTimeoutMs: 35_000,
} as const;

/** The risk assessor: a language model that may block a market and nothing else. */
export const ASSESSOR = {
  /** Real time for one answer (issue 4: an 8 s budget). */
  budgetMs: 8_000,
  /**
   * A verdict is valid this long: a market that was fine yesterday is assessed again within a day.
   */
  keptMs: 24 * 3_600_000,
  /** Questions under way at once. */
  atOnce: 2,
  /** Questions that may wait; beyond them a market does without, and the strict filters hold. */
  waitingMaximum: 64,
  /** Failures in a row after which it is left alone, and for how long; then one question tries. */
  failuresMaximum: 5,
  restMs: 60_000,
  /**
   * A question of the venue is a line; a description is a page, and its rules stand at its
   * beginning.
   */
  questionChars: 300,
  descriptionChars: 1_500,
  /** One sentence; longer is cut where it is shown. */
  reasonChars: 200,
  /** A verdict and a sentence need eighty tokens. */
  answerTokens: 200,
  answerMaximumBytes: 65_536,
  connectionsMaximum: 2,
  /** Expired verdicts removed with each new one: more than one, so that pruning catches up. */
  prunedPerVerdict: 4,
} as const;
