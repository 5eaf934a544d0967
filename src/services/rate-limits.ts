import { SIGN_IN } from '../../config/limits.ts';
import { API } from '../../config/limits/api.ts';
import { ADMISSION } from '../../config/limits/admission.ts';
import { LOOKUPS } from '../../config/limits/lookups.ts';
import { MCP } from '../../config/limits/mcp.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * What calls are counted against. Cancels and stops are counted apart from other changes, so that
 * no caller who is out of writes is kept from stopping; what users have looked up at a venue,
 * sign-in and the messages of MCP clients are counted apart and far tighter.
 */
export type Budget =
  | 'reads'
  | 'writes'
  | 'stops'
  | 'lookups'
  | 'probes'
  | 'sign_in'
  | 'sign_in_check'
  | 'mcp'
  | 'mcp_money'
  | 'mcp_stops'
  | 'mcp_unauthenticated';

/** What is left after one call was counted. */
export interface Spend {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly resetMs: number;
  /** Until one more call would be allowed; 0 when it is now. */
  readonly retryAfterMs: number;
}

/** Token buckets per caller, in memory: a restart forgives, which a caller cannot bring about. */
export interface RateLimits {
  /** Counts one call of `who` (a user id, a key id or an address). */
  spend(budget: Budget, who: string): Spend;
  /** Takes back one call that was counted. */
  giveBack(budget: Budget, who: string): void;
  /** Reports whether nothing is left, without counting a call. */
  isSpent(budget: Budget, who: string): boolean;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SIZES: Readonly<Record<Budget, { readonly limit: number; readonly windowMs: number }>> = {
  reads: { limit: API.readsPerMinute, windowMs: MINUTE_MS },
  writes: { limit: API.writesPerMinute, windowMs: MINUTE_MS },
  stops: { limit: API.stopsPerMinute, windowMs: MINUTE_MS },
  lookups: { limit: LOOKUPS.perMinute, windowMs: MINUTE_MS },
  probes: { limit: ADMISSION.probesPerMinute, windowMs: MINUTE_MS },
  sign_in: { limit: SIGN_IN.requestsPerAddressPerHour, windowMs: HOUR_MS },
  sign_in_check: { limit: SIGN_IN.checksPerAddressPerHour, windowMs: HOUR_MS },
  mcp: { limit: MCP.requestsPerMinute, windowMs: MINUTE_MS },
  mcp_stops: { limit: MCP.stopsPerMinute, windowMs: MINUTE_MS },
  mcp_money: { limit: MCP.moneyCallsPerMinute, windowMs: MINUTE_MS },
  mcp_unauthenticated: { limit: MCP.unauthenticatedPerMinute, windowMs: MINUTE_MS },
};

/**
 * Makes the buckets. At most `bucketsMaximum` are kept; beyond it the one unused for longest is
 * forgotten. `refused` hears of each call that is not allowed.
 */
export function createRateLimits(
  clock: Clock,
  bucketsMaximum: number = API.rateBucketsMaximum,
  refused: (budget: Budget) => void = () => undefined,
): RateLimits {
  const buckets = new Map<string, Bucket>();
  const tokensOf = (budget: Budget, who: string, atMs: number): number => {
    const { limit, windowMs } = SIZES[budget];
    const before = buckets.get(`${budget}:${who}`) ?? { tokens: limit, atMs };
    return Math.min(limit, before.tokens + ((atMs - before.atMs) * limit) / windowMs);
  };
  return {
    isSpent: (budget, who) => tokensOf(budget, who, clock.nowMs()) < 1,
    giveBack(budget, who) {
      const atMs = clock.nowMs();
      const tokens = Math.min(SIZES[budget].limit, tokensOf(budget, who, atMs) + 1);
      // A bucket that was forgotten is full.
      const name = `${budget}:${who}`;
      if (buckets.has(name)) buckets.set(name, { tokens, atMs });
    },
    spend(budget, who) {
      const { limit, windowMs } = SIZES[budget];
      const name = `${budget}:${who}`;
      const atMs = clock.nowMs();
      const tokens = tokensOf(budget, who, atMs);
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      buckets.delete(name);
      buckets.set(name, { tokens: left, atMs });
      if (buckets.size > bucketsMaximum) forgetOldest(buckets);
      if (!allowed) refused(budget);
      const msPerToken = windowMs / limit;
      return {
        allowed,
        limit,
        remaining: Math.floor(left),
        resetMs: Math.ceil((limit - left) * msPerToken),
        retryAfterMs: allowed ? 0 : Math.ceil((1 - left) * msPerToken),
      };
    },
  };
}

function forgetOldest(buckets: Map<string, Bucket>): void {
  const [oldest] = buckets.keys();
  if (oldest !== undefined) buckets.delete(oldest);
}
