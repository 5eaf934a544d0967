/**
 * What the operator lets one user have at risk, stops, and what makes an agent stop deciding; each
 * with its reason.
 */

/**
 * Caps of each user unless the operator sets others (config/schema.ts), in whole USD. The spec
 * names none beyond those of farming agents.
 */
export const OPERATOR_CAPS = {
  /**
   * Fifty times the largest position an agent may be given; more in one order is a slip of the hand
   * or a stolen session.
   */
  orderUsd: 5_000,
  /** Twenty-five times the default exposure of a farming agent. */
  exposureUsd: 25_000,
  /** Ten agents' worth of farming positions five times over; more is a loop. */
  openPositions: 500,
  /**
   * As the exposure: what is at risk counts as lost beforehand, so a tighter one would bind in its
   * place.
   */
  dailyLossUsd: 25_000,
} as const;

/** Ending what a stopped agent has open. */
export const UNWIND = {
  /**
   * First pause, doubled up to the maximum while nothing changes: a trade settles in seconds, a
   * market without bids may wait for its end.
   */
  pauseFirstMs: 1_000,
  pauseMaximumMs: 30_000,
  /**
   * Longest a step may take: a sale waits for the lock of its cash account, its lease and one send.
   */
  stepTimeoutMs: 40_000,
  /**
   * A start spreads what it finds over this: thousands of sales must not ask for their books at one
   * moment.
   */
  spreadMs: 5_000,
  /** Positions sold in one step; the next one sells more. */
  salesPerStep: 10,
} as const;

/** Cancelling what a stop of the operator or of a user found open. */
export const STOP_SWEEP = {
  /**
   * Orders looked at before others get their turn: the venue takes about this many cancels a
   * second.
   */
  ordersPerBatch: 50,
  betweenBatchesMs: 100,
  /**
   * First pause before what is still open is checked again, doubled up to the maximum while nothing
   * moves: unknown orders take a while.
   */
  pauseFirstMs: 1_000,
  pauseMaximumMs: 30_000,
} as const;

/** Too many trades that fail to settle: agents stop entering until it heals. */
export const SETTLEMENT_BREAKER = {
  /**
   * Settlements are counted over this, in steps of `stepMs`: a trade settles or fails within a
   * minute or two.
   */
  windowMs: 10 * 60_000,
  stepMs: 60_000,
  /** One user: three failures, and half of all, is a Safe that cannot pay, not bad luck. */
  user: { failures: 3, shareMicros: 500_000 },
  /** The operator: ten failures, and a fifth of all, is the venue's operator or the chain. */
  operator: { failures: 10, shareMicros: 200_000 },
  /**
   * Wait before one entry is let through as a probe, doubled up to the maximum while probes fail.
   */
  coolFirstMs: 60_000,
  coolMaximumMs: 30 * 60_000,
  /** A probe that has not settled by then proves nothing: another one is let through. */
  probeMs: 3 * 60_000,
} as const;

/**
 * A venue that turns us away for where we are: no order is sent there until it says, or shows by
 * one it looks at, that it takes them again.
 */
export const VENUE_ACCESS = {
  /**
   * Wait before one order is let through as a probe: a route that moved is back within a minute,
   * and each probe is a user's order refused.
   */
  coolFirstMs: 60_000,
  /** Doubled up to this while probes are turned away: a listed address stays listed for hours. */
  coolMaximumMs: 30 * 60_000,
  /** A probe whose answer is not there by then proves nothing: another one is let through. */
  probeMs: 60_000,
  /**
   * The venue is asked this often while it turns us away: half of the first pause, so that its word
   * is in before a user's order is tried; two calls a minute burden no venue.
   */
  askEveryMs: 30_000,
} as const;

/** What makes an agent say that it is degraded. */
export const HEALTH = {
  /** Inputs of rounds are checked this often, once for all agents of a kind. */
  checkMs: 2_000,
  /**
   * An input that is missing for less than this is a hiccup: decisions do without it at once, and
   * it is not reported. Wall time: inputs come over the wire.
   */
  reportedAfterMs: 4_000,
  /**
   * A user's channel is down and their trades could not be read either for this long: five readings
   * missed.
   */
  blindAfterMs: 15_000,
  /**
   * The channel is up and trades could not be read for this long: what it lost has not been found.
   */
  unreadAfterMs: 60_000,
  /** Readers notified of a change before the event loop gets its turn: about ten milliseconds. */
  sentPerTurn: 200,
} as const;
