/** Bounds of what venue_b is asked, each with its reason. */

/**
 * Calls and sockets to venue_b: its metadata, trade and identity interfaces (venue_b.md sections 4,
 * 7, 9 and 12).
 */
export const VENUE_B = {
  /**
   * Reads are relayed from the exchange behind it and take up to a second; a read that took this
   * long is asked again by its caller.
   */
  readTimeoutMs: 4_000,
  /** An order is routed and its transaction built before it is answered. */
  quoteTimeoutMs: 8_000,
  /** The largest answers are pages of 255 markets, two kilobytes each, and 5,000 candles. */
  answerMaximumBytes: 8 << 20,
  connectionsMaximum: 16,
  /**
   * Idle connections live shorter than the venue's own limit, so that a call never meets a closing
   * one.
   */
  keepAliveMs: 4_000,
  handshakeTimeoutMs: 5_000,
  /**
   * The venue states no rate for a key; these are far below what its keyless tier was seen to take
   * (section 4).
   */
  metadataReadsPerSecond: 40,
  quotesPerSecond: 20,
  statusReadsPerSecond: 40,
  identityReadsPerSecond: 5,
  /**
   * Who asks for metadata shares its rate as on every venue: orders and books first, agents that
   * search for markets, people who browse.
   */
  laneShares: { trading: 0.5, discovery: 0.2, browsing: 0.3 },
  /** Calls that may each wait for the rate limit before new ones are refused. */
  callsWaitingMaximum: 1_000,
  /** Reads of people who browse, which wait fairly before they come here (LOOKUPS.browsing). */
  browsingCallsWaitingMaximum: 32,
  /** When the venue says "slower" without saying for how long. */
  retryAfterDefaultMs: 1_000,
  /** A longer wait than this is a mistake; the question is asked again by then. */
  retryAfterMaximumMs: 60_000,
  /**
   * Events in one page, each with its markets of two kilobytes: some megabytes of the
   * `answerMaximumBytes`.
   */
  eventsPageMaximum: 100,
  /**
   * Pages of events that one page of a list may read: a thousand events take a second of what
   * people who browse may ask.
   */
  listReadsMaximum: 10,
  /** Events read to be ordered are good this long, so that the pages of a list are one reading. */
  collectedKeptMs: 15_000,
  /** Such readings kept, up to some ten megabytes each. */
  collectionsMaximum: 3,
  /** Titles and series of events that a single market shows, some 200 bytes each. */
  eventHeadsKeptMaximum: 5_000,
  /** A page of a filter that the venue does not know is cut out of at most so many rows of it. */
  eventMarketsMaximum: 1_000,
  /** Tickers named in one batch question (section 7). */
  batchMaximum: 100,
  /** Under what a series is filed is believed this long: it never was seen to change. */
  seriesKeptMs: 3_600_000,
  /** Candles of one question (section 7). */
  candlesMaximum: 5_000,
  /** Candles where a caller names no span: four days of hours, what a chart shows at once. */
  candlesDefault: 96,
  /** A book of a busy market has 100 levels a side, 20 bytes each. */
  frameMaximumBytes: 1 << 20,
  /**
   * No heartbeat is documented (section 12): a silent book is compared by REST, and a socket
   * without any frame for this long is made anew.
   */
  socketSilenceMs: 120_000,
  /**
   * A book that is asked for may show a change this long, of wall time, before the socket tells it:
   * they come by different ways (section 12 promises nothing).
   */
  socketTrailsMs: 500,
  /**
   * Markets whose tokens are known by name, some 200 bytes each: beyond it the one named longest
   * ago is asked for again.
   */
  tokensKnownMaximum: 20_000,
} as const;

/** What orders on venue_b are held to (`VenueTraits` says what each is). */
export const VENUE_B_TRAITS = {
  /**
   * A fill may be partial and the rest comes back: all-or-nothing cannot be promised (section 9.2).
   */
  lives: ['part_now', 'rests'],
  /** The venue keeps no orders (section 1). */
  restsAt: 'service',
  /**
   * A blockhash lives 150 slots, about a minute: what is proven never to land by then may be quoted
   * once more.
   */
  sendWindowMs: 75_000,
  /** A node answers within a second; the order is asked about after this. */
  submitTimeoutMs: 8_000,
  /** Each attempt at a resting order may cost the network's fee: twenty are a cent or two. */
  attemptsMaximum: 20,
  /** Only the chain proves that a transaction never lands: its block height has passed. */
  absenceFinalAfterMs: null,
  /** An order is open until the venue's keeper fills it, which has no stated bound (section 9). */
  heldMaximumMs: null,
  endsEarlyMs: 0,
  /** Whole contracts (section 9.4). */
  shareStepMicros: 1_000_000,
  /** Money is asked for in cents; what does not buy a whole contract comes back. */
  cashStepMicros: 10_000,
  /** Whole contracts (section 9.4). */
  fillStepMicros: 1_000_000,
  dustShareMicros: 0,
  dustCashMicros: 0,
  /** Beside fee and rents (`VenueTrading.gas`), which a sponsor may pay: nothing. */
  networkCostMicros: 0,
} as const;

/**
 * What is accepted of an order's transaction, which the venue makes and the user signs (venue_b.md
 * sections 6, 9 and 21).
 */
export const VENUE_B_ORDER = {
  /**
   * Beside its fee an order pays the rent of the user's new token account and of what holds it
   * until it is filled: some 5 million lamports.
   */
  lamportsMaximum: 15_000_000,
  /** More for the first buyer of a market, who makes its tokens: about 0.02 SOL. */
  makingLamportsMaximum: 30_000_000,
  /**
   * Below this the lack of SOL is reported before the venue is asked: fee, priority and
   * the rent of one token account.
   */
  lamportsNeeded: 3_000_000,
  /** Network's fee of an order without priority: two signatures at most are the user's to pay. */
  feeLamports: 10_000,
  /** Rent of a token account (section 6), 165 bytes and what Token-2022 adds to them. */
  rentLamports: 2_100_000,
  /** An estimate states what the network takes where the chain answers within this, wall time. */
  gasWaitMs: 1_500,
  /** What the venue may bid for priority (section 9.1 caps its own at 0.005 SOL). */
  priorityLamports: 100_000,
  /**
   * The most a quote may slip: what users accept beyond the book is a cent, five in a hundred of
   * the middle price.
   */
  slippageMaximumBps: 500,
  /** Quotes of one attempt: a first that misses the number of contracts is asked for again. */
  quotesMaximum: 3,
  /** A transaction lands within 150 slots of its blockhash or never. */
  blocksAliveMaximum: 150,
  /**
   * The largest fee of a trade in millionths of contracts × price × what is missing to a dollar
   * (section 14: 0.09 for the smallest traders), and the step it may be rounded up to.
   */
  feeRateMicros: 90_000,
  feeStepMicros: 10_000,
  /**
   * The fee as it is published, in the same millionths: the exchange's, up to the next step, and
   * the router's, up to the next micro (section 14). Exchange fees that were recorded end at a
   * hundredth of a cent (venue_b-fixtures, fills-15m): the smaller step.
   */
  exchangeRateMicros: 70_000,
  routerRateMicros: 10_000,
  feeStepSmallestMicros: 100,
} as const;

/** What a sponsor, who pays the network for users' orders, may be made to pay. */
export const VENUE_B_SPONSOR = {
  /**
   * Needed for one order: fee and priority, the rent of the user's new token account and of what
   * holds the order until it is filled. One with less pays nothing.
   */
  lamportsNeeded: 6_000_000,
  /**
   * A user's part of a UTC day: some forty orders in markets that are new to them. The rent of a
   * token account comes back to whoever closes it, its owner, so it is what a user could take.
   */
  perUserDailyLamports: 100_000_000,
  /** Of all users in a UTC day, unless set: some four hundred such orders. */
  dailyLamportsDefault: 1_000_000_000,
  /** Rows of days that are over, taken out with each order. */
  rowsForgotten: 100,
} as const;

/** Hours of each week in which the exchange behind the venue clears (venue_b.md section 9.4). */
export const VENUE_B_MAINTENANCE = {
  weekday: 'Thu',
  fromHour: 3,
  toHour: 5,
  zone: 'America/New_York',
} as const;
