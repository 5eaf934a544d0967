import { counter, gauge, histogram, venueCounter, type MetricSpec } from '../metric-spec.ts';

/**
 * Calls to venues and what they refuse; the sets of a venue's own words begin where it is opened.
 */
export const VENUE_METRICS = {
  venue_calls_total: counter('HTTP calls to venues, by what they were about and how they ended.', [
    'venue',
    'family',
    'outcome',
  ]),
  venue_call_duration_seconds: histogram(
    'Time of an HTTP call to a venue once it had its turn, by what it was about.',
    ['venue', 'family'],
  ),
  venue_budget_used_ratio: gauge(
    'Largest share of the calls that may go at once that was used up at a time since the last reading; 1: calls wait for their turn.',
    ['venue', 'family'],
  ),
  venue_dropped_total: counter(
    'Messages of venue channels that were not used because they could not be read, by channel and why.',
    ['venue', 'channel', 'reason'],
  ),
  venue_markets_refused_total: counter(
    'Markets a venue lists that are not traded here, each once: of another version of its exchange.',
    ['venue'],
  ),
  venue_refusals_total: counter(
    'Calls the venue refused for a reason of its own, whatever they asked for.',
    ['venue', 'reason'],
  ),
  view_calls_total: counter('HTTP calls to view-only venues, by how they ended.', [
    'venue',
    'outcome',
  ]),
  view_age_seconds: gauge(
    'Age of the oldest reading of positions that a portfolio showed since metrics were last read; 0: none, or it was new.',
    ['venue'],
  ),
  venue_sponsored_lamports_total: counter(
    'Lamports that a sponsor was counted as paying the network for orders of users.',
    ['venue'],
  ),
  venue_sponsor_lamports: gauge('SOL a sponsor has left, in lamports, as last read.', ['venue']),
  venue_restricted_state: gauge(
    '1 while the venue turns orders away for where we are, 0 otherwise.',
    ['venue'],
  ),
  venue_region_questions_total: venueCounter(
    { outcome: ['blocked', 'open', 'failed'] },
    'Questions to a venue that turns orders away, whether it still does, by its answer.',
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;
