/** Bounds of what venue_a is asked, each with its reason. */

/** Calls and sockets to venue_a (venue_a.md sections 7.3 and 9). */
export const VENUE_A = {
  /** Reads answer in 0.1 to 0.7 s; a read that took this long is asked again by its caller. */
  readTimeoutMs: 4_000,
  /** A cancel or a key request without an answer after this is unclear. */
  writeTimeoutMs: 5_000,
  /** The largest answers are pages of 500 trades with their maker orders. */
  answerMaximumBytes: 4 << 20,
  /**
   * Periods of prices over time in one call: made of sixty prices each of some 30 bytes, a tenth of
   * `answerMaximumBytes`.
   */
  candlesMaximum: 240,
  /** Periods where a caller names no span: four days of hours, what a chart shows at once. */
  candlesDefault: 96,
  /** Keep-alive connections per base URL: in-flight writes of one burst. */
  connectionsMaximum: 16,
  /**
   * Idle connections live shorter than the venue's own limit, so that a write never meets a closing
   * one.
   */
  keepAliveMs: 4_000,
  /**
   * POST and DELETE /order: 5 000 in 10 s for an address, 60 a second in a burst for a signer; half
   * of the address's.
   */
  writesPerSecond: 250,
  /** Ledger reads: 900 in 10 s; a tenth stays free for other programs behind the same address. */
  ledgerReadsPerSecond: 80,
  /** Books, ticks and market objects: 1 500 in 10 s for each path. */
  publicReadsPerSecond: 100,
  /** Key requests: 100 in 10 s. */
  keyCallsPerSecond: 8,
  /**
   * Markets remembered as not traded, so that each is counted once: recurring windows are some 600
   * a day, all others that are open some thousands. One that is forgotten is counted again.
   */
  refusedMarketsKeptMaximum: 10_000,
  /** Discovery: 300 market reads in 10 s. */
  directoryReadsPerSecond: 25,
  /** Data API: 150 in 10 s for the tightest path. */
  dataReadsPerSecond: 12,
  /** The website states no bound; it is asked twice a minute at most (VENUE_ACCESS.askEveryMs). */
  siteReadsPerSecond: 1,
  /**
   * Who asks shares the rates of public reads, discovery and data: a lane's share is its own
   * whatever the others do, and what it leaves is everybody's. A burst of all lanes is half as much
   * again as the rate of a second, which the venue's figures for ten seconds leave room for.
   * Trading: orders, ticks, resolutions and the books agents trade by. Discovery: agents' rounds
   * and scans. Browsing: people, over HTTP and sockets.
   */
  laneShares: { trading: 0.5, discovery: 0.2, browsing: 0.3 },
  /**
   * Calls of trading and of discovery that may each wait for the rate limit before new ones are
   * refused.
   */
  callsWaitingMaximum: 1_000,
  /**
   * Reads of people who browse, which wait fairly before they come here (LOOKUPS.browsing): twice
   * as many as may run there, of which each makes one call after the other.
   */
  browsingCallsWaitingMaximum: 32,
  /** More than about 500 tokens bring no snapshot at all; the venue sheet says to keep to 200. */
  tokensPerSocketMaximum: 200,
  /** Book snapshots of 200 tokens with deep books in one frame. */
  frameMaximumBytes: 8 << 20,
  handshakeTimeoutMs: 5_000,
  /**
   * Whole books in a row whose hash is wrong before the recipe is no longer believed: a damaged
   * book comes alone, a changed recipe with every book.
   */
  hashesWrongMaximum: 20,
  pingEveryMs: 10_000,
  /** The venue's own client gives a socket up after 30 s without an answer. */
  pongWithinMs: 30_000,
  /**
   * Silence of a whole market socket although pings are answered; 30 to 120 s on active markets
   * (venue_a.md section 9.5).
   */
  marketSilenceMs: 60_000,
  /** Pages of fills or orders read in one go: 100 rows each. */
  pagesMaximum: 50,
  /** After the venue was asked to refresh its cache of balances; it does so within a second. */
  balanceRefreshWaitMs: 500,
  /** When the venue says "later" without saying when: the first back-off of a restart window. */
  retryAfterDefaultMs: 1_000,
  /**
   * A longer wait than this in a Retry-After header is a mistake or a closed venue; the question is
   * asked again by then.
   */
  retryAfterMaximumMs: 120_000,
  /** A market order gets at most four decimals, whatever the tick (venue_a.md section 5.2). */
  marketReceiveStepMicros: 100,
  /** The venue refuses a marketable buy worth less (venue_a.md section 5.2). */
  marketBuyMinimumMicros: 1_000_000,
  /** Bound of an order's salt: integers up to 2^53 − 1 (venue_a.md section 5.1). */
  saltBound: 2 ** 53,
} as const;

/** What orders on venue_a are held to (`VenueTraits` says what each is). */
export const VENUE_A_TRAITS = {
  lives: ['all_now', 'part_now', 'rests'],
  restsAt: 'venue',
  /** Prices of a round move within seconds. */
  sendWindowMs: 5_000,
  /** The venue acknowledges in 0.1 to 0.7 s, seconds in bursts. */
  submitTimeoutMs: 5_000,
  /** One more after the venue refused the version of its format: a second refusal is the answer. */
  attemptsMaximum: 2,
  /** Late bookings were seen seconds after the request. */
  absenceFinalAfterMs: 30_000,
  /** A quarter of a second where prices of coins decide, 3 s in sports (venue_a.md section 6.3). */
  heldMaximumMs: 3_000,
  /** A GTD order is stopped about a minute before its stated time (venue_a.md section 6.2). */
  endsEarlyMs: 60_000,
  /** Hundredths of a share on every tick (venue_a.md section 5.2, size dp). */
  shareStepMicros: 10_000,
  /**
   * A market buy pays whole cents, whatever the tick (venue_a.md section 5.2, server precision
   * rule).
   */
  cashStepMicros: 10_000,
  /** Shares have six decimals. */
  fillStepMicros: 1,
  /**
   * Matched sizes drift from the asked ones by less than this (venue_a.md section 16, fill drift):
   * 0.01 shares.
   */
  dustShareMicros: 10_000,
  /** Market money is counted in cents: a buy that has spent its budget but for one has spent it. */
  dustCashMicros: 10_000,
  /** Orders are signed off the chain, and the venue pays for settling their trades. */
  networkCostMicros: 0,
} as const;
