/** Bounds of what venue_d is asked, each with its reason (venue_d.md sections 2 to 5). */
export const VENUE_D = {
  /** A page of 100 rows is 80 kB; the venue answers within a second, and no answer waits for it. */
  callTimeoutMs: 8_000,
  answerMaximumBytes: 1 << 20,
  connections: 2,
  /** Idle connections are closed before the venue's edge closes them. */
  keepAliveMs: 4_000,
  connectTimeoutMs: 5_000,
  /** The most that the venue gives at once. */
  pageRows: 100,
  /** 500 rows of one account: a person has some tens. What is beyond is said to be cut. */
  pagesMaximum: 5,
  /**
   * Smaller holdings are not asked for, and dropped where they come: a share pays one at most, so
   * less than a cent. The venue's own default leaves out up to ten.
   */
  sharesMinimum: '0.01',
  /** Without a key 30 calls in any 10 s are free: 8 at once and 2 a second are 28 at most. */
  freeRate: { perSecond: 2, burst: 8 },
  /** With one 100 a second: 40 at once and 40 a second are 80 at most. */
  keyedRate: { perSecond: 40, burst: 40 },
  /** Pages that may wait for their turn, half a minute of the free rate; more are refused. */
  waitingMaximum: 60,
  /** After "slower" without a time nothing is asked for as long as the venue counts. */
  retryAfterDefaultMs: 10_000,
  /** A longer wait than this is a mistake; the question is asked again by then. */
  retryAfterMaximumMs: 60_000,
} as const;
