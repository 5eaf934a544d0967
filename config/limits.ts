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
   * Agents that receive a transition before the event loop gets its turn: their decisions and
   * orders take about two milliseconds.
   */
  fanOutChunk: 4,
  /**
   * Agents that decide or order at a time: the venue takes 250 of our orders a second and up to
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
  /**
   * Newest receipts of an agent that are read for what its signal stated: a few entries a day are
   * weeks.
   */
  calibrationReceiptsMaximum: 2_000,
  /** Equal ranges of strength that they are sorted into: with more, each would hold too few. */
  calibrationRanges: 10,
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
  idleReadings: 32,
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
   * Before its stated end a held market is checked this often: it may resolve early, and the
   * message be lost with a connection.
   */
  checkIntervalMs: 15 * 60_000,
  /** Markets watched at a time: bounds actors. More wait until one is paid out. */
  marketsMaximum: 10_000,
  /** Wall time after which a payout is named to the operator: others take minutes. */
  payoutLateMs: 3_600_000,
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
  /** Verified access tokens remembered: a signature check costs 0.2 ms, a lookup nothing. */
  tokensVerifiedMaximum: 10_000,
  /** A proof goes from one shard to another through a gateway: a take-over may come between. */
  assertionLifeMs: 30_000,
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
