/** Bounds of what venue_c is asked, each with its reason. */

/** Calls and sockets to venue_c (venue_c.md sections 2, 3, 6 and 12). */
export const VENUE_C = {
  /** What orders rest on is small and answered within a second; it is asked again after this. */
  readTimeoutMs: 4_000,
  /** A page of 25 markets is 80 kB, with the state of each pool on the chain. */
  browsingTimeoutMs: 10_000,
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
  /**
   * Markets whose group is known, some kilobytes a group with its rules: beyond it the one read
   * longest ago is shown without its group until that is listed again.
   */
  groupedKnownMaximum: 5_000,
  /** Candles of one call: a week of hours. */
  candlesMaximum: 200,
  /** Candles where a caller names no span: four days of hours, what a chart shows at once. */
  candlesDefault: 96,
  /**
   * Answers that candles are made of: one holds some hundred prices, four to an hour, and a longer
   * past is cut.
   */
  historyReadsMaximum: 8,
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

/** The tick of every market, in ticks of 0.0001: thousandths of a dollar (venue_c.md section 4). */
export const VENUE_C_TICK = 10;

/** What orders on venue_c are held to (`VenueTraits` says what each is). */
export const VENUE_C_TRAITS = {
  /**
   * An order for all or nothing carries no price there, and its signature would let it be filled at
   * any (venue_c.md section 8.1): what is to be had at once is bounded by a price.
   */
  lives: ['part_now', 'rests'],
  restsAt: 'venue',
  /** Prices of short windows move within seconds. */
  sendWindowMs: 5_000,
  /** Matching answers with the result of an order, within a second or two. */
  submitTimeoutMs: 8_000,
  /** One more after the venue found the number or fee rate another, or a right missing. */
  attemptsMaximum: 2,
  /** Late bookings of order books like it were seen seconds after the request. */
  absenceFinalAfterMs: 30_000,
  /** The venue states a delay market by market and no bound of it (section 7.1). */
  heldMaximumMs: null,
  /** The venue takes no expiration but 0 (section 8.1). */
  endedBy: 'service',
  endsEarlyMs: 0,
  /** Shares in thousandths (section 4). */
  shareStepMicros: 1_000,
  /** Money of a person's order is in cents; what it buys is thousandths of a share. */
  cashStepMicros: 10_000,
  /** Shares have six decimals. */
  fillStepMicros: 1,
  /** What is left of an order below the step of shares is not traded. */
  dustShareMicros: 1_000,
  /** The money of so little, at a dollar a share. */
  dustCashMicros: 1_000,
  /** Orders are signed off the chain, and the venue pays for settling their trades. */
  networkCostMicros: 0,
} as const;

/** What orders are made of and asked by. */
export const VENUE_C_ORDER = {
  /** Salts are numbers of JSON (section 8.1). */
  saltBound: 2 ** 53,
  /** Exchanges of the venue, whose domains are kept: three versions, each in two forms. */
  exchangesRemembered: 16,
  /**
   * Orders of a market in one list: the venue states no largest page, and one so long may be cut,
   * so that nothing is concluded from what is not in it.
   */
  rowsMaximum: 500,
  /** Orders asked about at once (section 8.2). */
  statusBatchMaximum: 50,
  /** Trades in a page of the history, as the venue states (section 10), and pages read of it. */
  historyPageRows: 100,
  historyPagesMaximum: 50,
  /**
   * A trade that another one of its order has followed is looked for on the chain after this, and
   * again after as long: ten times what a block and its confirmations take.
   */
  earlierTradeAfterMs: 60_000,
  /**
   * One that is in no block made so long after it was undone: the venue settles a match within
   * seconds, and tries it again a few times.
   */
  earlierTradeUndoneAfterMs: 600_000,
  /**
   * Blocks of chain 8453 come every two seconds; of a local one as there are transactions, so that
   * some hours of blocks are read in any case.
   */
  blockMinimumMs: 1_000,
  settlementBlocksMinimum: 4_000,
  /** Such trades that were found, some 150 bytes each; a forgotten one is looked for again. */
  earlierTradesRemembered: 10_000,
  /** Transactions under way that settle a user's matches: each is final within seconds. */
  settlingRemembered: 200,
  /** Orders of a user named by events and not read yet: beyond it all of them are read. */
  eventsWaitingMaximum: 500,
  /**
   * The fee as it is estimated, basis points of what is bought or brought, at a price p: rate × 3 ×
   * p × (1 − p). The curve is not public; this gives the two effective fees that are known (section
   * 8.2). What is booked is what the venue states.
   */
  feeRateBps: 300,
  feeCurveFactor: 3,
} as const;

/**
 * What trades with pools are held to (`VenueTraits` says what each is; venue_c.md sections 9 and
 * 18).
 */
export const VENUE_C_POOL_TRAITS = {
  /** A transaction happens as a whole or not at all: what is to be had at once is all of it. */
  lives: ['all_now', 'part_now', 'rests'],
  /** A contract keeps no orders. */
  restsAt: 'service',
  /** A block comes every two seconds, and what the pool refuses is asked for anew. */
  sendWindowMs: 20_000,
  /** Making a transaction durable takes milliseconds; nothing is asked of anybody else. */
  submitTimeoutMs: 8_000,
  /** A pool that moved refuses without a transaction, mostly: then it is asked anew. */
  attemptsMaximum: 6,
  /** The chain alone decides. */
  absenceFinalAfterMs: null,
  /** A transaction waits for those before it, which have no stated bound. */
  heldMaximumMs: null,
  endsEarlyMs: 0,
  /** As order books of the venue have them. */
  shareStepMicros: 1_000,
  /** Money is asked for in cents. */
  cashStepMicros: 10_000,
  fillStepMicros: 1,
  /** A sale is asked for in dollars: at a thousandth of a dollar a millionth more takes so many. */
  dustShareMicros: 2_000,
  dustCashMicros: 0,
  /** Gas, by the fees of the moment (VENUE_C_POOL.gasUsed). */
  networkCostMicros: null,
  /** A contract tells no changes: its reserves are read every two seconds. */
  bookIsPolled: true,
} as const;

/** How pools are read and traded with. */
export const VENUE_C_POOL = {
  /** Steps of a pool's prices as they are shown, in ticks of 0.0001: those of the order books. */
  tickSize: VENUE_C_TICK,
  /** Levels of a side: 20 cents of the curve, far more than a person's order moves it. */
  levelsMaximum: 200,
  /** How far beyond what the levels say a market order may go, in ticks: a cent a share. */
  slippageTicks: 100,
  /**
   * The least a trade is worth: below it gas is a large part of a purchase, while whoever sells
   * decides themselves what getting out is worth.
   */
  leastUsdcMicros: { buy: 1_000_000, sell: 10_000 },
  /**
   * A pool that is followed is read so often, wall time: a block of the chain takes two
   * seconds, and its price is stated by none.
   */
  readMs: 2_000,
  /** The venue is asked so often whether its market has ended, wall time: one call each. */
  endAskedMs: 20_000,
  /** Gas of a right and of a trade with it; 197,000 and 46,000 were seen (section 18). */
  gasUnits: 450_000,
  /**
   * What a trade with its right takes, as an estimate states it: a purchase of the published
   * contract takes 188,000 to 197,000, a sale 149,000, and either right 46,000; a sale after the
   * first needs none.
   */
  gasUsed: { buy: 243_000, sell: 195_000 },
  /**
   * Fees, and what a wallet has and has allowed, are as old as this at most in an estimate: a
   * block, wall time.
   */
  gasKeptMs: 2_000,
  /** Answers kept so long, some 100 bytes each: who looks at a ticket at a time. */
  gasWalletsRemembered: 1_000,
  /** An estimate states what the network takes where the chain answers within this. */
  gasWaitMs: 2_000,
  /** Pools whose fee is known, some 100 bytes each: it never changes. */
  poolsRemembered: 1_000,
} as const;

/** What wallets allow the venue's contracts, on demand. */
export const VENUE_C_ALLOWANCE = {
  /** Rights known to be given, two or three a user: beyond it the chain is asked again. */
  knownMaximum: 500_000,
  /**
   * An order waits so long for the block of a right, two of Base, for its price is good for little
   * longer (VENUE_C_TRAITS.sendWindowMs). Then its user is asked to come back, and finds the right
   * given.
   */
  waitMs: 4_000,
  /** Between two questions whether a block has it. */
  askEveryMs: 400,
  /** When to come back: two blocks later. */
  retryAfterMs: 4_000,
  /** Gas of one right, as an estimate states it: 46,000 were seen of either (section 18). */
  gasUsed: 46_000,
  /** Transactions for one right that failed or was taken back, before that is an error. */
  attemptsMaximum: 20,
  /**
   * What is left of a right without end is always more: the dollar's contract counts down what was
   * drawn.
   */
  leastUnits: 2n ** 128n,
} as const;
