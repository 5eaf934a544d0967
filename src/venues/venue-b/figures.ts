import type { Metrics } from '../../ports/metrics.ts';
import { VENUE_B_ID } from './id.ts';

/** What is left out of what the venue says, by where it was said and why. */
const DROPPED = [
  ['market', 'schema'],
  ['listing', 'unreadable'],
  ['listing', 'not_binary'],
  ['listing', 'no_rail'],
] as const;

/** Begins the counts of what has not happened yet, so that the first time is seen as a rise. */
export function beginCounts(metrics: Metrics): void {
  const venue = VENUE_B_ID;
  metrics.count('venue_refusals_total', { venue, reason: 'throttled' }, 0);
  for (const [channel, reason] of DROPPED)
    metrics.count('venue_dropped_total', { venue, channel, reason }, 0);
}
