import { type Market, VENUE_CALLS } from '../../api/venues.ts';

/** What tells whether a market can be traded. */
type Ending = Pick<Market, 'venue' | 'closed' | 'acceptingOrders' | 'endsAtMs'> & {
  readonly resolution: object | null;
  readonly window: Pick<NonNullable<Market['window']>, 'endsAtMs'> | null;
};

/**
 * Reports whether a market can be traded at a moment. A venue lists one as open for a while after
 * its end; at some it is traded beyond the end that is stated, until the result is there.
 */
export function isOpen(market: Ending, nowMs: number): boolean {
  const { closed, acceptingOrders, resolution, window } = market;
  if (closed || !acceptingOrders || resolution !== null) return false;
  if (window !== null) return window.endsAtMs > nowMs;
  return !isPastEnd(market, nowMs) || VENUE_CALLS[market.venue]?.tradesPastEnd === true;
}

/** Reports whether the stated end of a market has come. */
export function isPastEnd({ endsAtMs }: Pick<Market, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs;
}
