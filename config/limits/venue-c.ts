/** Bounds of what venue_c is asked, each with its reason. */

/** Calls and sockets to venue_c (venue_c.md sections 2, 3, 6 and 12). */
export const VENUE_C = {
  /** A page of 25 markets is 80 kB and takes a good second; its caller asks again after this. */
  readTimeoutMs: 4_000,
  /** Matching answers with the result of an order; later it is looked up. */
  writeTimeoutMs: 8_000,
  /** The largest answers are pages of markets, 3 kB each, whose rules may be ten times as long. */
  answerMaximumBytes: 4 << 20,
  /** Two things at a time, as the venue's introduction asks (section 3): browsing and discovery. */
  browsingConnections: 2,
  /**
   * What orders rest on is asked over connections of its own, so that no order waits for a page of
   * markets; users' calls carry tokens of their own.
   */
  tradingConnections: 8,
  /** Idle connections are closed before the venue's edge closes them. */
  keepAliveMs: 4_000,
  handshakeTimeoutMs: 5_000,
  /** The introduction's "300 ms between calls", for browsing and discovery. */
  browsingPerSecond: 3,
  /** At once before that: the bucket that the venue's academy proposes (section 3). */
  browsingBurst: 20,
  /** The same source's rate; 429 is honoured whatever the rate. */
  readsPerSecond: 10,
  writesPerSecond: 10,
  callsBurst: 20,
  /** Agents that find markets, and people. */
  laneShares: { discovery: 0.3, browsing: 0.7 },
  /** Calls that may each wait for the rate limit before new ones are refused. */
  callsWaitingMaximum: 1_000,
  /** Reads of people, which wait fairly before they come here (LOOKUPS.browsing). */
  browsingCallsWaitingMaximum: 32,
  /** When the venue says "slower" without saying for how long: its edge never does. */
  retryAfterDefaultMs: 1_000,
  /** A longer wait than this is a mistake; the question is asked again by then. */
  retryAfterMaximumMs: 60_000,
  /** Markets in a page; more is refused (section 6). */
  pageMaximum: 25,
  /** Markets in a page of a search (section 6). */
  searchPageMaximum: 50,
  /** Pages that one page of a list may read: 250 markets, five seconds of what may be asked. */
  listReadsMaximum: 10,
  /** Markets read to be ordered are good this long, so that the pages of a list are one reading. */
  collectedKeptMs: 15_000,
  /** Such readings kept, up to a megabyte each. */
  collectionsMaximum: 5,
  /**
   * Markets whose tokens are known by name, some 400 bytes each: beyond it the one named longest
   * ago is asked for again.
   */
  tokensKnownMaximum: 20_000,
  /** Orders are in multiples of 0.001 of a share (section 4). */
  shareStepMicros: 1_000,
  /** A book of a busy market has some hundred levels a side, 50 bytes each. */
  frameMaximumBytes: 1 << 20,
  /**
   * The server pings every 25 s and waits 20 s for the answer (socket.io's own times, which it
   * states at the opening): one that is silent for both is lost.
   */
  socketSilenceMs: 45_000,
  /** How long the server may take to let a socket into the namespace. */
  joinTimeoutMs: 5_000,
  /**
   * Books that one socket is asked for: each list takes the place of the one before, at 40 bytes a
   * name. More are more than the service follows (BOOKS.marketsMaximum).
   */
  marketsFollowedMaximum: 500,
  /**
   * A book that is read may show a change this long, of wall time, before the socket tells it:
   * frames are gathered for a moment (section 12 promises nothing).
   */
  socketTrailsMs: 500,
} as const;

/** Users' accounts, and the gas of their wallets. */
export const VENUE_C_ACCOUNT = {
  /** Users whose credentials were refused and not made anew yet: hardly any at a time. */
  refusedMaximum: 10_000,
  /** Made anew at most so often: what is refused again is no matter of the credentials. */
  renewEveryMs: 60_000,
  /**
   * Gas for three approvals (50,000 each) and a redemption (200,000), and as much again for the fee
   * that the chain takes for its data.
   */
  gasNeeded: 700_000n,
} as const;
