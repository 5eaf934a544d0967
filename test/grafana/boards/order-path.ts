import {
  ask,
  EMPTY_IS_GOOD,
  NO_DATA,
  quantiles,
  UNUSED,
  type Board,
  type PanelSpec,
} from '../panel.ts';

const VENUE = 'venue=~"$venue"';

function stage(
  title: string,
  name: string,
  description: string,
  orange: number,
  red: number,
): PanelSpec {
  return {
    title: `${title}, p50 p99 p99.9`,
    kind: 'lines',
    unit: 's',
    description: `${description} A minute without an order is a gap.`,
    queries: quantiles('order_stage_seconds', `{stage="${name}",${VENUE}}`),
    thresholds: { orange, red },
    empty: UNUSED,
    runbook: 'PredictdVenueDown',
  };
}

export const ORDER_PATH: Board = {
  uid: 'predictd-order-path',
  title: 'predictd: order path',
  description: 'From the request to the fill: how long each step takes, and what comes of it.',
  rows: [
    {
      title: 'How long?',
      panels: [
        stage(
          'Request to answer',
          'total',
          'From the request of an order to the answer of its venue.',
          1,
          2.5,
        ),
        stage(
          'Decided',
          'decide',
          'From the moment an agent judges until its order is asked for.',
          0.25,
          1,
        ),
        stage(
          'Waiting for own orders',
          'queue',
          "Until a user's other orders had let this one go.",
          0.5,
          2.5,
        ),
        stage('Signed', 'sign', 'The signature alone.', 0.005, 0.05),
        stage('Stored', 'durable', 'Until the order would survive a power failure.', 0.05, 0.5),
        stage('Sent', 'wire', 'From durable until the bytes have left.', 0.005, 0.05),
        stage('Answered', 'ack', 'From the bytes to the answer of the venue.', 1, 2.5),
        stage(
          'Filled',
          'fill',
          'From there until the order is filled, of orders that do not rest.',
          5,
          10,
        ),
        {
          title: 'Unknown until decided, p99',
          kind: 'lines',
          unit: 's',
          description: 'How long orders were unknown, by the state they then came to.',
          queries: [
            ask(
              `histogram_quantile(0.99, sum by (le, outcome) (rate(predictd_order_unknown_seconds_bucket{${VENUE}}[$__rate_interval])))`,
              '{{outcome}}',
            ),
          ],
          thresholds: { orange: 5, red: 10 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdOrdersUnknown',
        },
        {
          title: 'Oldest unknown order',
          kind: 'lines',
          unit: 's',
          description: 'Age of the oldest order without an answer; 0 is normal.',
          queries: [
            ask(`max by (venue) (predictd_orders_unknown_oldest_seconds{${VENUE}})`, '{{venue}}'),
          ],
          thresholds: { orange: 10, red: 120 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersUnknown',
        },
      ],
    },
    {
      title: 'What became of them?',
      panels: [
        {
          title: 'Submissions by answer',
          kind: 'lines',
          unit: 'opm',
          description:
            'Attempts a minute by how the venue answered. Normal: accepted, sent, some unfilled.',
          queries: [
            ask(
              `60 * sum by (outcome) (rate(predictd_order_submissions_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{outcome}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Refused, by reason',
          kind: 'lines',
          unit: 'opm',
          description: 'Orders refused here, by the code the caller got, and by the venue.',
          queries: [
            ask(
              `60 * sum by (reason) (rate(predictd_order_rejections_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{reason}}',
            ),
          ],
          thresholds: { orange: 10, red: 60 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Open orders by state',
          kind: 'lines',
          unit: 'short',
          description: 'Orders that have not ended. Unknown is 0 but for seconds.',
          queries: [ask(`sum by (state) (predictd_orders_open{${VENUE}})`, '{{state}}')],
          thresholds: { red: 10000 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersUnknown',
        },
        {
          title: 'Cancels by answer',
          kind: 'lines',
          unit: 'opm',
          description: 'Requests to cancel a minute, by how the venue answered.',
          queries: [
            ask(
              `60 * sum by (outcome) (rate(predictd_order_cancels_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{outcome}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdVenueCancelOnly',
        },
        {
          title: 'Fills by what they changed',
          kind: 'lines',
          unit: 'opm',
          description: 'Fills a minute. Reversed and foreign are near 0; unchanged are repeats.',
          queries: [
            ask(
              `60 * sum by (result) (rate(predictd_fills_total{venue=~"$venue|none"}[$__rate_interval])) > 0`,
              '{{result}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdSettlementBreakerOpen',
        },
        {
          title: 'Venue refusals',
          kind: 'lines',
          unit: 'opm',
          description:
            'Calls the venue refused whatever they asked for: restarting, throttled, cancel-only.',
          queries: [
            ask(
              `60 * sum by (venue, reason) (rate(predictd_venue_refusals_total{${VENUE}}[$__rate_interval])) > 0`,
              '{{venue}} {{reason}}',
            ),
          ],
          thresholds: { orange: 1, red: 60 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdVenueThrottles',
        },
        {
          title: 'Same bytes sent again',
          kind: 'lines',
          unit: 'opm',
          description:
            'Orders whose answer was lost or put off, sent once more: never a second order.',
          queries: [
            ask(
              `60 * sum by (venue) (rate(predictd_order_resends_total{${VENUE}}[$__rate_interval]))`,
              '{{venue}}',
            ),
          ],
          thresholds: { orange: 10, red: 60 },
          empty: NO_DATA,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'Ended unasked, foreign',
          kind: 'lines',
          unit: 'opm',
          description:
            "Resting orders the venue cancelled by itself, and orders on users' keys that this service did not send. Normal: 0.",
          queries: [
            ask('60 * rate(predictd_order_ends_unasked_total[$__rate_interval])', 'ended unasked'),
            ask(
              `60 * sum by (venue) (rate(predictd_foreign_orders_total{${VENUE}}[$__rate_interval]))`,
              'foreign {{venue}}',
            ),
          ],
          thresholds: { orange: 0.1, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdForeignOrders',
        },
        {
          title: 'Resting here, sweeps of stops',
          kind: 'lines',
          unit: 'short',
          description:
            'Orders this service keeps for a venue that keeps none, and stops whose buys are being cancelled.',
          queries: [
            ask('max(predictd_resting_orders_open)', 'resting'),
            ask('max(predictd_stop_sweeps_open)', 'sweeps'),
          ],
          thresholds: { red: 10000 },
          empty: NO_DATA,
          runbook: 'PredictdVenueCancelOnly',
        },
      ],
    },
  ],
};
