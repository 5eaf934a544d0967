/** Bounds of replays, each with its reason. */

/** Replays of recordings. */
export const REPLAY = {
  /**
   * What one way to the venue takes, ms of the replay's clock: a good line; the recordings do not
   * tell.
   */
  latencyMs: 30,
  /**
   * A recorded exchange price is missing beyond this age, ms: rows come each second, a few are
   * late.
   */
  quoteKeptMs: 3_000,
  /**
   * Collateral of the market maker that shows recorded books, micros: more than any recorded book
   * asks for.
   */
  makerFundsMicros: 100_000_000_000_000,
  /**
   * Where only books were recorded, prices begin this long before the window, ms: agents begin to
   * read them 15 s before it (FEEDS.roundLeadMs).
   */
  impliedLeadMs: 60_000,
  /**
   * They are there this long before and after the window, ms: candles reach back, and the modelled
   * network knows the next five minutes.
   */
  impliedAroundMs: 900_000,
  /**
   * The usual move of such a price per square root of a second: the middle of recorded days
   * (venue_a-btc5m-settlement), 0.003 %.
   */
  impliedMovePerSecond: 0.000_03,
  /** Price to beat of such a window, USD: the recordings' own stood between 60 000 and 80 000. */
  impliedStrikeUsd: 70_000,
  /**
   * Time left after the last round to resolve and settle, ms: the announcement at 120 s, then polls
   * and payouts.
   */
  drainMs: 300_000,
  /** Setting up a user may take this long on the replay's clock, ms: a few calls of 60 ms. */
  setUpMs: 60_000,
  /** Journal entries read at once at the end. */
  journalPage: 1_000,
} as const;
