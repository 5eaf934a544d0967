/** Every bound of the sandbox's venue of order books and pools on Base, each with its reason. */
export const POOL_VENUE = {
  /** The venue refuses larger pages of markets with 400. */
  marketsPageMaximum: 25,
  /** Of a search and of public trades, as the venue states. */
  searchPageMaximum: 50,
  eventsPageMaximum: 100,
  historyPageMaximum: 100,
  historyPageDefault: 20,
  /** Orders asked for at once, as the venue states. */
  statusBatchMaximum: 50,
  /** Orders cancelled in one call: more than a user of the sandbox has open in practice. */
  cancelBatchMaximum: 50,
  /** Clock skew that a signed request may have, as the venue states. */
  signatureSkewMs: 30_000,
  /** Least size of an order, micros of shares: its step, as the venue states. */
  orderStepMicros: 1_000,
  /** The price step of a thousandth, in ticks of 0.0001. */
  priceStepTicks: 10,
  /** Configured taker fee of every profile, basis points, as the venue's default. */
  feeRateBps: 300,
  /**
   * Taker delay of the shortest windows: long enough for a client to see DELAYED, short enough not
   * to be waited for.
   */
  takerDelayMs: 400,
  /** Text of a client's own order id: longer ones are a mistake. */
  clientOrderIdLength: 128,
  /** Open orders of one profile: a runaway bot stops here instead of filling memory. */
  openOrdersMaximum: 1_000,
  /** Finished orders and trades kept for questions about them; the oldest go. */
  ordersKept: 5_000,
  tradesKept: 5_000,
  /** Trades of a market that are listed; the venue pages through more, clients read the newest. */
  eventsKept: 200,
  /** How long an ended window can be read: of eighteen an hour these are 864 results. */
  endedReadableMs: 48 * 3_600_000,
  /** Results kept, and markets remembered: more than can be read. */
  endedKept: 1_000,
  /** Profiles and API tokens: one folder of a developer has a handful. */
  profilesMaximum: 1_000,
  tokensPerProfile: 20,
  /** Nonces handed out and not used: each lives for a sign-in. */
  noncesMaximum: 1_000,
  /** Dollars of one call of the faucet. */
  faucetMaximumMicros: 100_000_000_000,
  /** Coins of one call of the faucet: gas of some thousand transactions. */
  faucetWei: 1_000_000_000_000_000_000n,
  /** Name of a gift, and gifts by name that are remembered: users of a sandbox are few. */
  grantNameLength: 100,
  grantsKept: 1_000,
  /** How long a book is quoted after it was last asked for: an unread book costs nothing. */
  quotedAfterReadMs: 120_000,
  /** Between two looks at the quotes of the books that are read. */
  requoteMs: 1_000,
  /** Levels on each side of a quoted book. */
  quoteLevels: 12,
  /** Changes of quotes of one book at a time: a fresh book is quoted whole at once. */
  quoteChangesMaximum: 24,
  /** Milliseconds after the match at which a trade is mined and final where no chain settles. */
  minedAfterMs: 1_200,
  confirmedAfterMs: 4_000,
  /** What a socket.io server says of itself: its defaults. */
  pingIntervalMs: 25_000,
  pingTimeoutMs: 20_000,
  /** Least time between two frames of one book, as a busy book of the venue has. */
  bookFrameMs: 200,
  /** Markets one socket may subscribe to. */
  subscribedMarketsMaximum: 200,
} as const;

/** Bounds of its pools on the chain (AMM). */
export const POOL_AMM = {
  /**
   * Dollars a pool is funded with, micros: a trade of a hundred moves its price by about two cents.
   */
  fundMicros: 5_000_000_000n,
  /** The odds a pool begins with are given to the contract in so many parts. */
  hintParts: 1_000,
  /** Pools made that are remembered: twelve an hour of the shortest windows, for two days. */
  poolsKept: 1_000,
  /** How long after a market's end its pool is still read: redeeming leaves it as it is. */
  followedAfterEndMs: 600_000,
  /** Between two polls of the chain while a client reads: as quick as a price of the venue. */
  pollMs: 500,
  /** Blocks read again at each poll, so that one in the place of another is found. */
  rereadBlocks: 16,
  /** Trades of users that are kept, and of everybody in one market that are listed. */
  fillsKept: 5_000,
  tapeKept: 200,
  /**
   * Between two trades of the market maker: of the markets' time, and never faster than this of the
   * wall's, for each is a transaction of some 10 KB.
   */
  tradeMs: 15_000,
  tradeWallMs: 4_000,
  /** How long a pool is traded after it was last asked for: an unread one costs nothing. */
  tradedAfterReadMs: 120_000,
} as const;
