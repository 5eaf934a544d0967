import { AppError } from './errors.ts';
import type { VenueId } from './ids.ts';
import { formatMicros, usdcMicros, type UsdcMicros } from './units.ts';

/** What an API key is held to beside its scopes, set when it is made; null where nothing binds. */
export interface KeyLimits {
  /** Most that one call may set aside, fee included. */
  readonly orderUsdc: UsdcMicros | null;
  /**
   * Most that the calls of one UTC day may set aside together. What an order gives back is not
   * counted off again.
   */
  readonly dayUsdc: UsdcMicros | null;
  /** Where it may trade. */
  readonly venues: readonly VenueId[] | null;
  /** MCP tools it may call. */
  readonly tools: readonly string[] | null;
  /**
   * What one call may set aside before the person is asked; zero asks before every one, sales
   * included.
   */
  readonly confirmAboveUsdc: UsdcMicros | null;
  /** When it ends by itself, epoch ms of the wall clock. */
  readonly expiresAtMs: number | null;
}

/** A key that is held to its scopes alone. */
export const NO_KEY_LIMITS: KeyLimits = {
  orderUsdc: null,
  dayUsdc: null,
  venues: null,
  tools: null,
  confirmAboveUsdc: null,
  expiresAtMs: null,
};

/**
 * Reports whether calls by the bare interface would pass by what a key is held to: such a key opens
 * the tools alone.
 */
export function opensToolsAlone({ expiresAtMs: _ends, ...limits }: KeyLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null);
}

/** What of money a key is held to, and what it has used. */
export interface KeySpend {
  readonly limits: KeyLimits;
  /** Set aside by its calls of the day so far. */
  readonly spentUsdc: number;
}

/** Refuses what a key may not spend. Errors: `cap_exceeded`. */
export function assertKeySpend({ limits, spentUsdc }: KeySpend, usdc: number): void {
  assertCap('the order', usdc, limits.orderUsdc);
  assertCap("the key's calls of the day", spentUsdc + usdc, limits.dayUsdc);
}

/** Refuses a venue that a key may not trade at. Errors: `forbidden`. */
export function assertKeyVenue({ venues }: KeyLimits, venue: VenueId): void {
  if (venues !== null && !venues.includes(venue))
    throw new AppError('forbidden', `this API key may not trade at ${venue}`);
}

/**
 * Refuses an agent that a key's limits would not bind: an agent's orders count against its user's
 * limits, and against no key's. On paper only the venue matters. Errors: `forbidden`.
 */
export function assertKeyAgent(
  limits: KeyLimits,
  { venue, onPaper }: { readonly venue: VenueId; readonly onPaper: boolean },
): void {
  assertKeyVenue(limits, venue);
  if (!onPaper && hasMoneyLimit(limits))
    throw new AppError(
      'forbidden',
      'this API key has limits of money, which do not bind agents: it may enable them on paper, and stop them',
    );
}

/** Reports whether a key is held to amounts, or to asking its person. */
export function hasMoneyLimit({ orderUsdc, dayUsdc, confirmAboveUsdc }: KeyLimits): boolean {
  return [orderUsdc, dayUsdc, confirmAboveUsdc].some((limit) => limit !== null);
}

/** Reports whether the person is to be asked before a call of the key sets so much aside. */
export function needsConfirmation({ confirmAboveUsdc }: KeyLimits, usdc: number): boolean {
  return confirmAboveUsdc !== null && (usdc > confirmAboveUsdc || confirmAboveUsdc === 0);
}

/** What a key may still spend in the day; null where nothing binds. */
export function keyDayLeft({ limits: { dayUsdc }, spentUsdc }: KeySpend): number | null {
  return dayUsdc === null ? null : Math.max(0, dayUsdc - spentUsdc);
}

function assertCap(what: string, micros: number, cap: UsdcMicros | null): void {
  if (cap === null || micros <= cap) return;
  const amount = (value: number) => formatMicros(usdcMicros(value));
  throw new AppError(
    'cap_exceeded',
    `${what} would come to ${amount(micros)} USDC, this API key's limit is ${amount(cap)}`,
    { fields: [{ path: '/amount', message: `${what} may come to ${amount(cap)} USDC` }] },
  );
}
