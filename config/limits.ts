/**
 * Every bound and default of the service, each with its reason. Pure numbers: anything but `src/domain` may read them.
 * Where the spec is silent the reason says why this figure was chosen (design.md section 4).
 */

/** Ages beyond which an input is absent (L8; feeds.md section 5). */
export const STALENESS = {
  /** Oracle stream: one report a second; five missed ones are an outage. */
  oracleMs: 5_000,
  /** The venue's mirror of the oracle lags 1.4 s and stalls silently; 10 s is its watchdog. */
  venueOracleMs: 10_000,
  /** Exchange book ticker: several a second. */
  exchangeMs: 5_000,
  /** 5-minute topic: a new value about every 5 minutes, so twice that. */
  inference5mMs: 600_000,
  /** 8-hour topic: twice its epoch. */
  inference8hMs: 57_600_000,
  /** A quiet book on a live market is checked by REST within this time; older than this it is not used. */
  bookMs: 5_000,
} as const;

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
  discoveryIntervalMs: 30 * 60_000,
  /** A discovery that failed or found an unhydrated market is repeated soon: windows last minutes. */
  discoveryRetryMs: 5_000,
} as const;

/** Orders. */
export const ORDER = {
  /** Market orders may pay this much beyond the worst visible level: one cent, one usual tick. */
  marketSlippageTicks: 100,
  /** An agent's or caller's market order that could not leave within this time is a stale wish. */
  sendWindowMs: 5_000,
  /** A submission without an answer is `unknown` after this: the venue acknowledges in 0.1 to 0.7 s, seconds in bursts. */
  submitTimeoutMs: 5_000,
  /** Late bookings were seen seconds after the request; "not there" counts as the venue's word only after this. */
  lateBookingHorizonMs: 30_000,
  /** Wait before the first question about an unknown order, doubled up to the maximum. */
  reconcileFirstMs: 250,
  reconcileMaximumMs: 5_000,
  /** Same bytes at most this often; the venue refuses doubles by hash, this bounds the noise. */
  sendsMaximum: 4,
  /** Life of a limit order whose caller names no expiry: a day. */
  limitLifeDefaultMs: 24 * 3_600_000,
  /** The venue stops a GTD order about a minute before its stated time (venue_a.md section 6.2). */
  gtdSafetyMs: 60_000,
  /** Open orders one user may have: bounds memory and recovery time. */
  openPerUserMaximum: 200,
} as const;

/** Per-user execution lock (L7). */
export const LOCK = {
  /** Longer than the slowest submission with its first reconciliation. */
  leaseMs: 30_000,
  /** Trades that may wait for one user before `lock_busy`. */
  queueMaximum: 32,
} as const;

/** What the HTTP and WebSocket surface takes. */
export const SURFACE = {
  /** The largest legal body is an order of a few hundred bytes. */
  bodyMaximumBytes: 65_536,
  headersMaximum: 48,
  headerBytesMaximum: 16_384,
  socketPayloadMaximumBytes: 16_384,
  /** A dashboard watches tens of books; a thousand is a mistake or an attack. */
  subscriptionsMaximum: 256,
  socketIdleSeconds: 60,
  socketBacklogMaximumBytes: 1 << 20,
  socketsMaximum: 10_000,
  socketsPerUserMaximum: 32,
  readsPerMinute: 600,
  writesPerMinute: 120,
  pageDefault: 50,
  pageMaximum: 200,
  /** Idempotency keys are kept for a day: longer than any sensible retry. */
  idempotencyKeptMs: 24 * 3_600_000,
  idempotencyKeyMaximumChars: 128,
} as const;

/** Sign-in. */
export const SIGN_IN = {
  codeDigits: 6,
  codeLifeMs: 5 * 60_000,
  attemptsPerCode: 5,
  sendsPerPhonePerHour: 5,
  requestsPerAddressPerHour: 20,
  accessTokenLifeMs: 15 * 60_000,
  refreshTokenLifeMs: 30 * 24 * 3_600_000,
} as const;
