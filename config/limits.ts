import { STALENESS } from './limits/market-data.ts';

/**
 * Bounds and defaults of the service, each with its reason; those of other areas are in `limits/`.
 * Pure numbers: anything but `src/domain` may read them. Where the spec is silent the reason says
 * why this figure was chosen (design.md section 4).
 */

/** Agents (spec.md, settings and limits). */
export const AGENT = {
  sizeMinimumUsd: 1,
  sizeMaximumUsd: 100,
  sizeDefaultUsd: 5,
  /** The spec says "between 1 and 5"; the smallest keeps a small wallet usable. */
  minimumSizeDefaultUsd: 1,
  inferenceDifferenceDefaultMicros: 500,
  /** 10 % of price: a larger threshold never fires. */
  inferenceDifferenceMaximumMicros: 100_000,
  /**
   * Farming agents' own settings (spec.md): 100 of the largest positions are the largest exposure;
   * a stop below 1 % sells on the spread alone, one beyond 50 % stops nothing.
   */
  farming: {
    openPositionsDefault: 10,
    openPositionsMaximum: 100,
    totalExposureDefaultUsd: 1_000,
    totalExposureMaximumUsd: 10_000,
    dailyLossDefaultUsd: 100,
    dailyLossMaximumUsd: 10_000,
    /**
     * Below four in five nothing is all but decided, and at 99.5 % a cent is more than is left to
     * win.
     */
    probabilityMinimumTicks: 8_000,
    probabilityMaximumTicks: 9_950,
    /** A month: money in a market that ends later has better uses. */
    endsWithinHoursMaximum: 720,
    stopLossDefaultPerMille: 100,
    stopLossMinimumPerMille: 10,
    stopLossMaximumPerMille: 500,
  },
  discoveryIntervalMs: 30 * 60_000,
  /**
   * A discovery that failed or found an unhydrated market is repeated soon: windows last minutes.
   */
  discoveryRetryMs: 5_000,
  /**
   * A decision is arithmetic and one read; longer means the store hangs, and the moment has passed.
   */
  decisionTimeoutMs: 2_000,
  /**
   * Longest wait for an order's first word before the position is looked up instead: the lock's
   * lease and one send.
   */
  orderTimeoutMs: 35_000,
  /** Wait before a refused entry is judged anew; a third of a percent of the round. */
  retryAfter5MinMs: 1_000,
  retryAfter15MinMs: 3_000,
  /**
   * Entries tried in one round, and looks again after one signal: a market that refuses five times
   * is not for us.
   */
  entriesPerRoundMaximum: 5,
  /**
   * Sales tried for one position at the pace of its reviews: a market sale takes what there is, so
   * a few suffice unless the venue refuses.
   */
  exitsQuick: 5,
  /**
   * From there on the wait doubles up to this, to the round's end: a restart of the venue takes
   * about 90 s, and must not cost the exit.
   */
  exitPauseMaximumMs: 60_000,
  /**
   * Less than the smallest share amount the venue lets one sell, 0.01 (venue_a.md section 5.2):
   * kept until the market pays.
   */
  dustShareMicros: 10_000,
  /** Positions are judged again this often, and at every transition of their signal. */
  reviewIntervalMs: 5_000,
  /**
   * Agents told of a transition before the event loop gets its turn: their decisions and orders
   * take about two milliseconds.
   */
  fanOutChunk: 4,
  /**
   * Agents that decide or order at a time: the venue takes 250 orders a second of ours and up to
   * 0.7 s for each, so no more keep it busy. The others wait their turn without costing anything.
   */
  actingMaximum: 256,
  /**
   * Pause before it is looked again whether there is room for another: a fraction of what a venue
   * takes to answer.
   */
  fanOutPauseMs: 5,
  /**
   * Shared receipts of one signal in one round: a signal that changes its mind more often says
   * nothing new.
   */
  signalReceiptsPerRoundMaximum: 200,
  /** Shared receipts are kept this long; those that led to orders are kept for good. */
  signalReceiptsKeptMs: 30 * 24 * 3_600_000,
} as const;

/** Orders. */
export const ORDER = {
  /**
   * Most shares of a limit order, in micros: a billion, far beyond any market, so that its cost and
   * the largest fee are counted exactly.
   */
  sharesMaximumMicros: 1_000_000_000_000_000,
  /** Market orders may pay this much beyond the worst visible level: one cent, one usual tick. */
  marketSlippageTicks: 100,
  /**
   * When to come back after an order could not be prepared, or waited too long for others: a book
   * is read and a trade acknowledged in less.
   */
  retryAfterMs: 1_000,
  /** Wait before the first question about an unknown order, doubled up to the maximum. */
  reconcileFirstMs: 250,
  reconcileMaximumMs: 5_000,
  /** Same bytes at most this often; the venue refuses doubles by hash, this bounds the noise. */
  sendsMaximum: 4,
  /**
   * Life of a limit order whose caller names no expiry: a day; this and the longest, of wall time
   * for a person, of the markets' for an agent.
   */
  limitLifeDefaultMs: 24 * 3_600_000,
  /** Longest life of a limit order: money set aside for longer has been forgotten. */
  limitLifeMaximumMs: 30 * 24 * 3_600_000,
  /** Open orders one user may have: bounds memory and recovery time. */
  openPerUserMaximum: 200,
  /**
   * A resting order is asked about this often though the channel tells changes: the channel loses
   * messages without a word.
   */
  watchIntervalMs: 15_000,
  /** Resting orders that this service keeps are compared with the book this often. */
  restingIntervalMs: 250,
  /**
   * Attempts made, and ends stored, at a time for such orders: when a price moves through many,
   * each takes half a millisecond of the event loop.
   */
  restingAtOnceMaximum: 100,
  /**
   * Wait after an attempt that got nothing: the book had moved, and each attempt may cost the
   * network's fee.
   */
  restingPauseMs: 10_000,
  /**
   * Refused for want of funds we have: no order hammers on. A reservation that ends late is gone in
   * a minute; one that never does waits for the venue's support.
   */
  disputePause: { firstMs: 30_000, maximumMs: 15 * 60_000 },
  /** Longest wait a venue can ask for before the same bytes go out again. */
  deferMaximumMs: 5_000,
  /**
   * A market order needs a book no older than this to set its worst price; the book's own limit.
   */
  bookAgeMaximumMs: STALENESS.bookMs,
  /**
   * The longest key a caller may send (API), a colon, and the time of its first attempt, under
   * which its order is found.
   */
  idempotencyKeyMaximumChars: 144,
} as const;

/**
 * Reading a user's fills, deposits and resolutions again and again while something of theirs is in
 * motion.
 */
export const SYNC = {
  /**
   * The channel loses fills without a word, so trades are read every few seconds (venue_a.md
   * section 16, missing fills).
   */
  intervalMs: 3_000,
  /** After failures the wait doubles up to this. */
  intervalMaximumMs: 30_000,
  /**
   * Reads reach back this far behind the newest fill seen: late words on older trades stay in view.
   */
  overlapMs: 10 * 60_000,
  /**
   * Deposits are looked for this often while the user is active; with nothing in motion and no call
   * of theirs the wait doubles up to the maximum.
   */
  depositsIntervalMs: 30_000,
  depositsIntervalMaximumMs: 120_000,
  /**
   * A user without anything in motion is let go of after this; the next call of theirs starts it
   * again.
   */
  idleAfterMs: 10 * 60_000,
  /**
   * Users watched at a time: bounds sockets and polls. One without anything in motion makes room
   * for the next.
   */
  activeUsersMaximum: 10_000,
  /** Users looked at to find one that can make room: a read each. */
  idleLooks: 32,
  /**
   * A channel that failed is opened again after this, doubled up to `intervalMaximumMs`; each
   * opening reads all of the user.
   */
  reconnectFirstMs: 500,
  /** One that was open for this long begins at the first wait again. */
  reconnectHealthyAfterMs: 30_000,
} as const;

/**
 * Finding out how markets ended: the message about it may never come (survival.md,
 * market-resolved-silently).
 */
export const RESOLUTION = {
  /** First question after the end, doubled up to the maximum. */
  firstMs: 2_000,
  maximumMs: 60_000,
  /** One question may take this long. */
  askTimeoutMs: 10_000,
  /**
   * Before its stated end a held market is looked at this often: it may resolve early, and the word
   * of it be lost with a connection.
   */
  lookIntervalMs: 15 * 60_000,
  /** Markets watched at a time: bounds actors. More wait until one is paid out. */
  marketsMaximum: 10_000,
} as const;

/** Opening venues at a start. */
export const VENUE_OPENING = {
  /**
   * Wall time: nothing is asked of a venue while it is opened, so it takes milliseconds; the others
   * are not kept from their users.
   */
  timeoutMs: 10_000,
} as const;

/** Lock of a cash account of a user (L7). */
export const LOCK = {
  /** Wall time, longer than the slowest submission with its first reconciliation. */
  leaseMs: 30_000,
  /** Trades that may wait for one cash account of a user before `lock_busy`. */
  queueMaximum: 32,
  /** Free locks kept for users who come back: making one anew costs more than a trade can spare. */
  keptMaximum: 1_000,
} as const;

/** What the HTTP and WebSocket API takes. */
export const API = {
  /** The largest legal body is an order of a few hundred bytes. */
  bodyMaximumBytes: 65_536,
  /**
   * A page of another origin asks again after this whether it may call; browsers keep it no longer
   * than two hours.
   */
  preflightKeptSeconds: 3_600,
  headersMaximum: 48,
  headerBytesMaximum: 16_384,
  socketPayloadMaximumBytes: 16_384,
  /** Topics of one socket or one message: more is a mistake or an attack. */
  subscriptionsMaximum: 256,
  socketIdleSeconds: 60,
  socketBacklogMaximumBytes: 1 << 20,
  socketsMaximum: 10_000,
  socketsPerUserMaximum: 32,
  /** Sockets of one address: a house of a hundred people behind one, with two pages each. */
  socketsPerAddressMaximum: 200,
  readsPerMinute: 600,
  writesPerMinute: 120,
  /**
   * Cancels, stops and revoked keys, in a bucket of their own: all that the writes of one minute
   * placed can be taken back one by one in the next.
   */
  stopsPerMinute: 120,
  pageDefault: 50,
  pageMaximum: 200,
  /**
   * Markets or books named in one call: each may be a question to the venue, four of a user's run
   * at a time, and a dashboard shows no more at once.
   */
  idsPerCallMaximum: 20,
  /**
   * Markets remembered beside those of running rounds: what a day of browsing and manual trading
   * touches.
   */
  marketsKeptMaximum: 5_000,
  /** Ticks and states change within minutes (venue_a.md section 5.2). */
  marketKeptMs: 60_000,
  /** A book watched for one manual order stays watched for the next one. */
  warmBookMs: 120_000,
  /**
   * Such books at once, the one asked for longest ago let go first: anybody may ask for any, and
   * agents need the other places of BOOKS.marketsMaximum.
   */
  warmBooksMaximum: 20,
  /** Idempotency keys are kept for a day: longer than any sensible retry. */
  idempotencyKeptMs: 24 * 3_600_000,
  idempotencyKeyMaximumChars: 128,
  /**
   * How long the answer to a market order waits for its end unless the caller prefers otherwise:
   * fills come within a second, the venue's longest delay is three.
   */
  orderWaitDefaultMs: 5_000,
  /**
   * And at most, whatever they prefer: with all writes of a minute a user then holds 20 of
   * ADMISSION.tradesMaximum.
   */
  waitMaximumMs: 10_000,
  /** Token buckets kept in memory, least recently used first out: 100 bytes each, so 5 MB. */
  rateBucketsMaximum: 50_000,
  /** An upgraded socket that has not said who it is by then is closed. */
  socketAuthMs: 10_000,
  /** How soon a session that was ended loses its sockets. */
  socketRecheckMs: 30_000,
  /**
   * Messages a socket may send in a burst and per second after it; more is a loop, not a person.
   */
  socketMessagesBurst: 512,
  socketMessagesPerSecond: 50,
  /**
   * Faulty messages before a socket is closed: enough to see one's mistake, too few to make us
   * work.
   */
  socketFaultsMaximum: 10,
  /**
   * A change after a pause waits this long for others of its moment: one write to a socket carries
   * all its topics, and the system call is the cost.
   */
  socketGatherMs: 2,
  /** Changes come no oftener than this: fifty a second are more than eyes see. */
  socketFlushMs: 20,
  /**
   * Sockets written to in one turn of the event loop: at 8 µs a system call an order waits 4 ms for
   * them at most.
   */
  socketsPerShard: 500,
  /**
   * Sockets written to a second: a tenth of the event loop at 8 µs each. 500 readers of a busy book
   * see it 25 times a second, 5,000 see it 2.5 times.
   */
  socketWritesPerSecond: 12_500,
  /**
   * Sockets written to before that rate counts: a lone change reaches ten shards at once, 40 ms in
   * ten turns.
   */
  socketWritesBurst: 5_000,
  /**
   * Messages held while a token is checked: what a client sends right after its token, and no store
   * for others.
   */
  socketHeldMaximum: 32,
  socketHeldMaximumChars: 65_536,
  /**
   * Different books and prices of one user, all sockets together: a dashboard's tens, and no more
   * than a third of what BOOKS.marketsMaximum can show.
   */
  topicsPerUserMaximum: 64,
  /**
   * Different books and prices followed at once for all users together: each may be a subscription
   * at the venue, and no thirty users fill it.
   */
  topicsMaximum: 2_000,
  /**
   * A followed book is sought again after this where too many were watched: somebody looks at it
   * meanwhile.
   */
  bookSoughtAgainMs: 5_000,
  /**
   * Examples of the OpenAPI document name markets that are there: looked after this often, for
   * those of most volume stay for hours, and a document that stays the same is not sent again.
   */
  exampleMarketsKeptMs: 600_000,
  /** Trades of at least this much are whales unless the caller says otherwise. */
  whaleMinimumUsd: 10_000,
  /** How long a clean end waits for calls that are running. */
  drainMs: 5_000,
  /** The server ends what is silent for ten seconds. */
  streamKeepAliveMs: 5_000,
  /** Readers of streams come back after this. */
  streamRetryMs: 2_000,
} as const;

/** Sign-in. */
export const SIGN_IN = {
  codeDigits: 6,
  codeLifeMs: 5 * 60_000,
  attemptsPerCode: 5,
  requestsPerAddressPerHour: 20,
  /**
   * Codes tried from one address: three times the requests, so that people mistype and guessers do
   * not gain.
   */
  checksPerAddressPerHour: 60,
  /** Devices one user is signed in on; the oldest family ends beyond it. */
  familiesPerUserMaximum: 50,
  /**
   * Rotated refresh tokens remembered to catch their reuse: at one a quarter of an hour, ten days.
   */
  generationsKept: 1_000,
  /**
   * A new account whose venue does not answer is tried again after this, doubled up to the maximum.
   */
  activationRetryFirstMs: 1_000,
  activationRetryMaximumMs: 60_000,
  /** Verified access tokens remembered: a signature check costs 0.2 ms, a look-up nothing. */
  tokensVerifiedMaximum: 10_000,
  accessTokenLifeMs: 15 * 60_000,
  refreshTokenLifeMs: 30 * 24 * 3_600_000,
} as const;

/** Sealed keys. */
export const KEYS = {
  /**
   * Twice the agents one process must hold (design.md section 5); a key with its address is about
   * 200 bytes.
   */
  unsealedMaximum: 200_000,
} as const;
