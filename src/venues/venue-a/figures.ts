import type { Metrics } from '../../ports/metrics.ts';
import { VENUE_A_ID } from './id.ts';

/** Why the venue refuses calls whatever they ask for. */
const REFUSALS = [
  'restarting',
  'post_only',
  'cancel_only',
  'disabled',
  'throttled',
  'order_version',
] as const;
/** Messages whose shape is not the known one. */
const UNREADABLE = [
  ['market', 'schema'],
  ['user', 'schema'],
  ['scan', 'unreadable'],
  ['trades', 'unreadable'],
  ['orders', 'unreadable'],
] as const;

/** Begins the counts of what has not happened yet, so that the first time is seen as a rise. */
export function beginCounts(metrics: Metrics): void {
  const venue = VENUE_A_ID;
  for (const reason of REFUSALS) metrics.count('venue_refusals_total', { venue, reason }, 0);
  metrics.count('venue_markets_refused_total', { venue }, 0);
  for (const [channel, reason] of UNREADABLE)
    metrics.count('venue_dropped_total', { venue, channel, reason }, 0);
}
