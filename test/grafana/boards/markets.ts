import { ask, EMPTY_IS_GOOD, NO_DATA, UNUSED, type Board } from '../panel.ts';

const VENUE = 'venue=~"$venue"';

export const MARKETS: Board = {
  uid: 'predictd-books-and-feeds',
  title: 'predictd: books and feeds',
  description: 'What decisions rest on: order books, price feeds, and the calls behind them.',
  rows: [
    {
      title: 'Books',
      panels: [
        {
          title: 'Watched and trusted',
          kind: 'lines',
          unit: 'short',
          description: 'Books kept, and those that may be traded on: the lines lie on each other.',
          queries: [
            ask(`sum by (venue) (predictd_books_watched{${VENUE}})`, 'watched {{venue}}'),
            ask(`sum by (venue) (predictd_books_trusted{${VENUE}})`, 'trusted {{venue}}'),
          ],
          thresholds: { red: 1000 },
          empty: NO_DATA,
          runbook: 'PredictdBooksUntrusted',
        },
        {
          title: 'Silent books',
          kind: 'lines',
          unit: 'short',
          description:
            'Books of which nothing was heard for longer than said, neither a message nor an answer by REST. Normal: 0 beyond 30 s.',
          queries: [
            ask(`sum by (venue, over) (predictd_books_silent{${VENUE}})`, '{{venue}} {{over}}'),
          ],
          thresholds: { orange: 1, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdBookSocketsStall',
        },
        {
          title: 'Incidents, 5 min',
          kind: 'lines',
          unit: 'short',
          description: 'Times a book lost its trust, by why. Single gaps heal by themselves.',
          queries: [
            ask(
              `sum by (venue, incident) (increase(predictd_book_incidents_total{${VENUE}}[5m])) > 0`,
              '{{venue}} {{incident}}',
            ),
          ],
          thresholds: { orange: 5, red: 50 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdBookMirrorBroken',
        },
        {
          title: 'Messages not used',
          kind: 'lines',
          unit: 'opm',
          description: 'Messages of venues that could not be read, by channel and why.',
          queries: [
            ask(
              `60 * sum by (venue, channel, reason) (rate(predictd_venue_dropped_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{venue}} {{channel}} {{reason}}',
            ),
          ],
          thresholds: { orange: 1, red: 60 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdVenueSchemaDrift',
        },
        {
          title: 'Hashes of whole books',
          kind: 'lines',
          unit: 'opm',
          description:
            'Whole books compared with the hash they carry. Wrong ones are not traded on.',
          queries: [
            ask(
              `60 * sum by (venue, result) (rate(predictd_venue_book_hashes_total{${VENUE}}[$__rate_interval]))`,
              '{{venue}} {{result}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdVenueSchemaDrift',
        },
        {
          title: 'Frame applied, longest of each 2 s, p99',
          kind: 'lines',
          unit: 's',
          description:
            'From the arrival of a frame until its books were passed on. Normal: a few ms.',
          queries: [
            ask(
              `histogram_quantile(0.99, sum by (le, venue) (rate(predictd_frame_apply_seconds_bucket{${VENUE}}[$__rate_interval])))`,
              '{{venue}}',
            ),
          ],
          thresholds: { orange: 0.05, red: 0.25 },
          empty: NO_DATA,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'Connections made again',
          kind: 'lines',
          unit: 'opm',
          description: 'Reconnects a minute, by source. A change of rounds brings some.',
          queries: [
            ask(
              '60 * sum by (source) (rate(predictd_reconnects_total[$__rate_interval]))',
              '{{source}}',
            ),
          ],
          thresholds: { orange: 5, red: 30 },
          empty: NO_DATA,
          runbook: 'PredictdBookSocketsStall',
        },
      ],
    },
    {
      title: 'Feeds',
      panels: [
        {
          title: 'Age of feeds',
          kind: 'lines',
          unit: 's',
          description: 'Seconds since the newest value. Predictions come every five minutes.',
          queries: [ask('max by (feed) (predictd_feed_age_seconds)', '{{feed}}')],
          thresholds: { orange: 10, red: 60 },
          empty: NO_DATA,
          runbook: 'PredictdFeedStale',
        },
        {
          title: 'Lag of feeds, longest of each 2 s, p99',
          kind: 'lines',
          unit: 's',
          description:
            'From the time a source states to the arrival of its value. More than usual: the line, or a clock that is off.',
          queries: [
            ask(
              'histogram_quantile(0.99, sum by (le, feed) (rate(predictd_feed_lag_seconds_bucket[$__rate_interval])))',
              '{{feed}}',
            ),
          ],
          thresholds: { orange: 2.5, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdFeedStale',
        },
        {
          title: 'Clock beside venues',
          kind: 'lines',
          unit: 's',
          description:
            'How far our clock is ahead of that of a venue, to half a second. Normal: within half a second.',
          queries: [ask('max by (source) (predictd_clock_offset_seconds)', 'ahead of {{source}}')],
          thresholds: { orange: 0.75, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdClockOff',
        },
        {
          title: 'Values not used',
          kind: 'lines',
          unit: 'opm',
          description: 'Messages of price feeds that were dropped, by why.',
          queries: [
            ask(
              '60 * sum by (feed, reason) (rate(predictd_feed_dropped_total[$__rate_interval])) > 0',
              '{{feed}} {{reason}}',
            ),
          ],
          thresholds: { orange: 1, red: 60 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdFeedStale',
        },
        {
          title: 'Prices to beat contradicted, 1 h',
          kind: 'lines',
          unit: 'short',
          description: 'Rounds whose stated price is not the captured one. Normal: 0.',
          queries: [
            ask('sum by (asset) (increase(predictd_strike_contradictions_total[1h]))', '{{asset}}'),
          ],
          thresholds: { orange: 1, red: 3 },
          empty: NO_DATA,
          runbook: 'PredictdStrikeContradicted',
        },
      ],
    },
    {
      title: 'Calls to venues',
      panels: [
        {
          title: 'Calls by family',
          kind: 'lines',
          unit: 'reqps',
          description: 'HTTP calls a second, bounded below the published rates of each venue.',
          queries: [
            ask(
              `sum by (venue, family) (rate(predictd_venue_calls_total{${VENUE}}[$__rate_interval]))`,
              '{{venue}} {{family}}',
            ),
          ],
          thresholds: { red: 100 },
          empty: NO_DATA,
          runbook: 'PredictdVenueThrottles',
        },
        {
          title: 'Budget used',
          kind: 'lines',
          unit: 'percentunit',
          description:
            'Largest share of the calls that may go at once that was in use. At 1 calls wait for their turn.',
          queries: [
            ask(
              `max by (venue, family) (predictd_venue_budget_used_ratio{${VENUE}})`,
              '{{venue}} {{family}}',
            ),
          ],
          thresholds: { orange: 0.9, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdVenueThrottles',
        },
        {
          title: 'Share that failed',
          kind: 'lines',
          unit: 'percentunit',
          description: 'Calls without an answer or with an error of the venue. Normal: below 1 %.',
          queries: [
            ask(
              `sum by (venue) (rate(predictd_venue_calls_total{outcome=~"5xx|lost|unsent",${VENUE}}[$__rate_interval])) / sum by (venue) (rate(predictd_venue_calls_total{${VENUE}}[$__rate_interval]))`,
              '{{venue}}',
            ),
          ],
          thresholds: { orange: 0.05, red: 0.5 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'View-only venues',
          kind: 'lines',
          unit: 'opm',
          description:
            'Calls a minute for positions at venues that are not traded at, by how they ended. Normal: answered.',
          queries: [
            ask(
              '60 * sum by (venue, outcome) (rate(predictd_view_calls_total[$__rate_interval])) > 0',
              '{{venue}} {{outcome}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'View-only venues: age shown',
          kind: 'lines',
          unit: 's',
          description:
            'Oldest reading of such positions that a portfolio showed. Normal: some minutes; more while the venue is away.',
          queries: [ask('max by (venue) (predictd_view_age_seconds) > 0', '{{venue}}')],
          thresholds: { orange: 600, red: 86400 },
          empty: UNUSED,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'Calls, p99',
          kind: 'lines',
          unit: 's',
          description: 'Time of a call once it had its turn, by what it was about.',
          queries: [
            ask(
              `histogram_quantile(0.99, sum by (le, venue, family) (rate(predictd_venue_call_duration_seconds_bucket{${VENUE}}[$__rate_interval])))`,
              '{{venue}} {{family}}',
            ),
          ],
          thresholds: { orange: 1, red: 5 },
          empty: UNUSED,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'Region: does the venue take orders?',
          kind: 'lines',
          unit: 'opm',
          description:
            'Questions to a venue that turns orders away, by its answer. Normal: none are asked.',
          queries: [
            ask(
              `60 * sum by (venue, outcome) (rate(predictd_venue_region_questions_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{venue}} {{outcome}}',
            ),
          ],
          thresholds: { orange: 0.1, red: 10 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdVenueRestricted',
        },
      ],
    },
  ],
};
