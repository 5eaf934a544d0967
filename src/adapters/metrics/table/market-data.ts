import {
  counter,
  counterOf,
  gauge,
  histogram,
  startingAt,
  venueCounter,
  type MetricSpec,
} from '../metric-spec.ts';

const INCIDENTS = [
  'no_snapshot',
  'gap',
  'crossed',
  'tick_changed',
  'silent_stall',
  'mirror_broken',
  'snapshot_failed',
];

/** Books and price feeds. */
export const MARKET_DATA_METRICS = {
  books_watched: gauge('Order books of open markets kept up to date now.', ['venue']),
  books_trusted: gauge('Order books kept now that may be traded on.', ['venue']),
  books_silent: gauge(
    'Order books kept of which nothing was heard for longer than over, counted in real time: neither a message nor an answer by REST that found them unchanged. over is never for those without any message yet.',
    ['venue', 'over'],
  ),
  book_incidents_total: venueCounter(
    { incident: INCIDENTS },
    'Times an order book lost its trust, by why.',
  ),
  strike_contradictions_total: counterOf(
    { asset: ['BTC', 'ETH', 'SOL'] },
    'Rounds whose stated price to beat is not the one we captured.',
  ),
  feed_age_seconds: gauge('Seconds since the newest value of a price feed.', ['feed']),
  feed_lag_seconds: histogram(
    'How long after the time its source states a value of a price feed came: the longest of each two seconds.',
    ['feed'],
  ),
  frame_apply_seconds: histogram(
    'How long a frame of a book socket took from its arrival until its books were passed on: the longest of each two seconds.',
    ['venue'],
  ),
  clock_offset_seconds: gauge(
    'How far our clock is ahead of that of a venue, to half a second; below zero where it is behind.',
    ['source'],
  ),
  feed_dropped_total: startingAt(
    ['oracle', 'venue_oracle', 'exchange', 'inference'].map((feed) => ({
      feed,
      reason: 'malformed',
    })),
    counter('Messages of price feeds that were not used, by feed and why.', ['feed', 'reason']),
  ),
  reconnects_total: counterOf(
    { source: ['venue_books', 'oracle', 'venue_oracle', 'exchange'] },
    'Connections that were made again after one was lost, by source.',
  ),
  venue_book_hashes_total: counter(
    'Whole books compared with the hash they carry, by whether it was right.',
    ['venue', 'result'],
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;
