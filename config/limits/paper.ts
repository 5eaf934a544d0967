/** Trading on paper: what the modelled exchange assumes, and how much of it there may be. */
export const PAPER = {
  /**
   * Paper money a user begins with in each cash account, micros of USDC: 1 000 USD, twenty
   * positions of the default size open at once and many lost.
   */
  startingUsdcMicros: 1_000_000_000,
  /**
   * Paper money of a shadow run, which must never be what holds it back: its live agent's cash does
   * that.
   */
  shadowUsdcMicros: 1_000_000_000_000,
  /**
   * From the decision to the venue's book: calls take 0.1 to 0.7 s (venue_a.md section 6.1); a good
   * line has half of that one way.
   */
  latencyMs: 250,
  /**
   * What the venue holds marketable orders for where the market says so (venue_a.md section 6.3).
   */
  takerDelayMs: 250,
  /**
   * From a match to final: a block and its confirmation, seen to take a few seconds. Shares cannot
   * be sold before.
   */
  settlementMs: 5_000,
  /**
   * Resting orders are compared with trades and books this often: trades in between are kept and
   * lose nothing.
   */
  restingIntervalMs: 250,
  /** Resting orders at once: bounds one comparison to some tens of milliseconds. */
  restingMaximum: 20_000,
  /**
   * Trades kept of one token between two comparisons; what a busy market prints in a quarter of a
   * second is a few dozen.
   */
  tradesKeptMaximum: 1_000,
  /**
   * Newest orders of a user that are looked through for fills: agents make a handful in the time a
   * fill takes to settle.
   */
  ordersReadMaximum: 200,
  /**
   * Distinct shadow runs, one for each signal and size among live agents: each takes some six
   * milliseconds of the event loop at a signal, so all of them a sixteenth of a 5-minute round.
   */
  shadowsMaximum: 3_000,
  /**
   * An entry is compared with its shadow run's when both were decided within this: longer ago, and
   * the market has moved on.
   */
  pairWindowMs: 15_000,
  /**
   * Wait before what has changed is compared: a trade is reported in several steps, and no caller
   * waits for this.
   */
  pairIntervalMs: 500,
  /**
   * Comparisons written in one commit while others wait their turn: one takes a tenth of a
   * millisecond and more of the event loop.
   */
  pairsPerCommit: 8,
} as const;
