import type { Metrics } from '../../ports/metrics.ts';
import { VENUE_C_ID } from './id.ts';

/** What is left out of what the venue says, by where it was said and why. */
const DROPPED = [
  ['market', 'schema'],
  ['listing', 'unreadable'],
  ['listing', 'other_collateral'],
  ['listing', 'trade_type'],
  ['listing', 'no_tokens'],
] as const;
/** What calls are refused for whatever they ask. */
const REFUSED = ['throttled', 'restarting'] as const;

/** Begins the counts of what has not happened yet, so that the first time is seen as a rise. */
export function beginCounts(metrics: Metrics): void {
  const venue = VENUE_C_ID;
  for (const reason of REFUSED) metrics.count('venue_refusals_total', { venue, reason }, 0);
  for (const [channel, reason] of DROPPED)
    metrics.count('venue_dropped_total', { venue, channel, reason }, 0);
}
