/** Bounds of the portfolio over all venues. */
export const PORTFOLIO = {
  /**
   * Open positions of one venue in one answer: each has its book looked up. More are in its own
   * lists.
   */
  positionsMaximum: 200,
  /** Fills of one venue that are read for what a day has cost: a busy day of an agent has fewer. */
  dayFillsMaximum: 200,
  /** Of swaps, launches, withdrawals and transfers each: the newest, which are those under way. */
  pendingLookedAt: 20,
} as const;

/** Positions at view-only venues. */
export const VIEWED = {
  /**
   * A reading is good this long: the venue advises 30 to 60 s, and the free rate of two calls a
   * second then lasts for 90 people who read at once.
   */
  keptMs: 45_000,
  /** One without positions, as most people's are: a tenth of the calls. */
  emptyKeptMs: 300_000,
  /** One that was not renewed for this long after it was due is said to be old. */
  graceMs: 75_000,
  /** What a portfolio waits for its first reading, beside what it reads meanwhile; never again. */
  firstWaitMs: 300,
  /** After a failure, doubled with each further one. */
  retry: { firstMs: 5_000, maximumMs: 120_000 },
  /** Accounts whose last reading is remembered, some kilobytes each. */
  keptMaximum: 5_000,
} as const;

/** Equity by time. */
export const EQUITY = {
  /**
   * Between two rounds, on the market clock: the rounds of the shortest markets, and a day is 288
   * points, as many as a chart shows.
   */
  sampleMs: 300_000,
  /** How long samples are kept, by the steps they lie apart: some 400 KB a user in five years. */
  steps: [
    { stepMs: 300_000, keptMs: 2 * 86_400_000 },
    { stepMs: 3_600_000, keptMs: 60 * 86_400_000 },
    { stepMs: 86_400_000, keptMs: 5 * 366 * 86_400_000 },
  ],
  /** Records that a sample takes out of each step: it adds one. */
  forgottenAtOnce: 4,
  /** Positions looked at in one turn of the event loop: some milliseconds of it. */
  positionsAtOnce: 500,
  /** Users written in one turn of the event loop, and in one commit: a few milliseconds of it. */
  usersAtOnce: 50,
  /**
   * Tokens asked for at the venue in one round, each once for all who hold it, because their books
   * are not followed: a third of a request a second. Further tokens are reported as unpriced.
   */
  asksPerRound: 100,
  /** Users without positions whose cash changed since the round before, sampled in the next. */
  changedMaximum: 100_000,
  /** Points in an answer where none are asked for, and at most. */
  pointsDefault: 288,
  pointsMaximum: 1_000,
} as const;
