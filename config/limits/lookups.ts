/**
 * Bounds of what is asked at a venue because a user named it, each with its reason: names can be
 * made up without end.
 */

/** Of all lookups. */
export const LOOKUPS = {
  /**
   * Answered from memory they cost nothing and are not counted; a person who browses asks for a new
   * page or market every few seconds.
   */
  perMinute: 240,
  /** Of one user at a time: a page and what hangs on it. */
  runningPerUserMaximum: 4,
  /**
   * Of one user waiting for a turn: as many as half a minute takes. They wait for each other, and
   * no other caller waits for them.
   */
  waitingPerUserMaximum: 120,
  /** Of all users together waiting for a turn, some 200 bytes each. */
  waitingMaximum: 10_000,
  /** A call over HTTP waits this long for its turn; its sender gives up soon after. */
  waitMaximumMs: 5_000,
  /**
   * A topic of a socket waits this long: a dashboard names tens of tokens at once, and receives
   * each as it comes.
   */
  topicWaitMaximumMs: 60_000,
  /**
   * A venue that did not answer is not asked the same again within this: what fails is asked again
   * the most.
   */
  failedKeptMs: 2_000,
} as const;

/** People who browse: lists, events, unwatched books, tokens of sockets. */
export const BROWSING_LOOKUPS = {
  ...LOOKUPS,
  /**
   * At a time for all: few enough that the queue in front of the lane (VENUE_A.laneShares.browsing)
   * is a second or two long, so that turns are fair.
   */
  runningMaximum: 16,
  /**
   * Unless said otherwise an answer is good for this long: browsing must not become load on the
   * venue.
   */
  keptMs: 5_000,
  /**
   * What the venue says is not there may be listed a moment later; a dashboard with old tokens asks
   * for them at every reload.
   */
  absentKeptMs: 30_000,
  /** Answers remembered: pages of 100 markets are the largest, 50 kB each. */
  keptMaximum: 500,
} as const;

/** Orders for markets that are not in memory. */
export const TRADING_LOOKUPS = {
  ...LOOKUPS,
  /**
   * At a time for all: each takes up to three calls of the trading lane, which has 12 a second for
   * itself.
   */
  runningMaximum: 12,
  /**
   * What is found is remembered as a market (API.marketKeptMs); this is for those who ask at the
   * same moment.
   */
  keptMs: 1_000,
  /** A market that is being listed is traded within seconds of it. */
  absentKeptMs: 5_000,
  /** Ids that are none are the rest; 200 bytes each. */
  keptMaximum: 5_000,
} as const;

/** Tokens that users name, and searches of theirs. */
export const TOKEN_LOOKUPS = {
  ...LOOKUPS,
  /** At a time for all: the sources take four a second between them. */
  runningMaximum: 8,
  /** Prices of tokens move by the minute where they are looked at. */
  keptMs: 15_000,
  /** What is absent may be listed a moment later. */
  absentKeptMs: 10_000,
  /** Thirty pairs of a search are 60 kB at most. */
  keptMaximum: 500,
} as const;
