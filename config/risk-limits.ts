/** What the house lets one user have at risk, stops, and what makes an agent stop deciding; each with its reason. */

/** Caps of each user unless the operator sets others (config/schema.ts), in whole USD. The spec names none beyond those of farming agents. */
export const HOUSE_CAPS = {
  /** Fifty times the largest position an agent may be given; more in one order is a slip of the hand or a stolen session. */
  orderUsd: 5_000,
  /** Twenty-five times the default exposure of a farming agent. */
  exposureUsd: 25_000,
  /** Ten agents' worth of farming positions five times over; more is a loop. */
  openPositions: 500,
  /** As the exposure: what is at risk counts as lost beforehand, so a tighter one would bind in its place. */
  dailyLossUsd: 25_000,
} as const;

/** Ending what a stopped agent has open. */
export const WIND_UP = {
  /** First look again, doubled up to the maximum while nothing changes: a trade settles in seconds, a market without bids may wait for its end. */
  lookFirstMs: 1_000,
  lookMaximumMs: 30_000,
  /** Longest a look may take: a sale waits for the user's lock, its lease and one send. */
  stepTimeoutMs: 40_000,
  /** A start spreads what it finds over this: thousands of sales must not ask for their books at one moment. */
  spreadMs: 5_000,
  /** Positions sold in one look; the next look sells more. */
  salesPerLook: 10,
} as const;
