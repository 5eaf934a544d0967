import { PROMISES, type Objective } from '../../alerts/slo-rules.ts';
import { ask, EMPTY_IS_GOOD, NO_DATA, UNUSED, type Board, type PanelSpec } from '../panel.ts';

/** How many times faster than its month allows the budget of a promise is used up. */
function promised({ key, name, words, budget }: Objective): PanelSpec {
  return {
    title: `Budget burnt: ${words}`,
    kind: 'lines',
    unit: 'short',
    description:
      'How many times faster than a month allows the budget is used up, by window. At 1 it lasts exactly; from 6 on it pages.',
    queries: (['5m', '1h', '6h', '3d'] as const).map((window) =>
      ask(`predictd:${key}:error_ratio_${window} / ${budget}`, window),
    ),
    thresholds: { orange: 1, red: 6 },
    empty: UNUSED,
    runbook: `Predictd${name}BurnsFast`,
  };
}

export const INTERFACES: Board = {
  uid: 'predictd-interfaces',
  title: 'predictd: API, live and MCP',
  description: 'What people, programs and assistants call, and what reaches them.',
  rows: [
    {
      title: 'Are promises kept?',
      panels: PROMISES.map(promised),
    },
    {
      title: 'HTTP',
      panels: [
        {
          title: 'Requests by status',
          kind: 'lines',
          unit: 'reqps',
          description: 'Requests a second. Those of 5xx are near 0.',
          queries: [
            ask(
              'sum by (status) (rate(predictd_http_request_duration_seconds_count{route!~"/metrics|none"}[$__rate_interval]))',
              '{{status}}',
            ),
          ],
          thresholds: { red: 1000 },
          empty: UNUSED,
          runbook: 'PredictdApiErrors',
        },
        {
          title: 'Ten slowest routes, p99',
          kind: 'lines',
          unit: 's',
          description: 'Orders that wait for their end take up to 5 s by contract.',
          queries: [
            ask(
              'topk(10, histogram_quantile(0.99, sum by (le, route) (rate(predictd_http_request_duration_seconds_bucket{route!~"/metrics|none"}[$__rate_interval]))) > 0)',
              '{{route}}',
            ),
          ],
          thresholds: { orange: 1, red: 5 },
          empty: UNUSED,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'In flight',
          kind: 'lines',
          unit: 'short',
          description: 'Most calls of a kind answered at the same time.',
          queries: [ask('max by (kind) (predictd_http_requests_in_flight)', '{{kind}}')],
          thresholds: { orange: 100, red: 500 },
          empty: NO_DATA,
          runbook: 'PredictdShedding',
        },
        {
          title: 'Refused for who calls',
          kind: 'lines',
          unit: 'opm',
          description:
            'Calls without a token that holds, or that may not. A rise without a release is a guess at tokens.',
          queries: [
            ask(
              '60 * sum by (reason) (rate(predictd_auth_failures_total[$__rate_interval])) > 0',
              '{{reason}}',
            ),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdSignInAbuse',
        },
        {
          title: 'Answered as before',
          kind: 'lines',
          unit: 'opm',
          description:
            'Calls with an Idempotency-Key that had been used for the same. A few are callers on bad lines.',
          queries: [
            ask('60 * sum(rate(predictd_idempotent_replays_total[$__rate_interval]))', 'replays'),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: NO_DATA,
          runbook: 'PredictdApiErrors',
        },
        {
          title: 'Shed and refused',
          kind: 'lines',
          unit: 'opm',
          description:
            'Requests answered 503 because too much was under way, and refused for their head.',
          queries: [
            ask(
              '60 * sum by (kind, reason) (rate(predictd_http_shed_total[$__rate_interval])) > 0',
              'shed {{kind}} {{reason}}',
            ),
            ask(
              '60 * sum by (reason) (rate(predictd_http_refused_total[$__rate_interval])) > 0',
              'refused {{reason}}',
            ),
          ],
          thresholds: { orange: 1, red: 60 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdShedding',
        },
        {
          title: 'Rate limited',
          kind: 'lines',
          unit: 'opm',
          description: 'Calls a minute refused because their caller had used up what it may do.',
          queries: [
            ask(
              '60 * sum by (bucket) (rate(predictd_rate_limited_total[$__rate_interval])) > 0',
              '{{bucket}}',
            ),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdShedding',
        },
      ],
    },
    {
      title: 'Live and messages',
      panels: [
        {
          title: 'Sockets open',
          kind: 'lines',
          unit: 'short',
          description: 'WebSockets open now.',
          queries: [ask('sum(predictd_sockets_open)', 'sockets')],
          thresholds: { red: 10000 },
          empty: NO_DATA,
          runbook: 'PredictdShedding',
        },
        {
          title: 'Subscriptions',
          kind: 'lines',
          unit: 'short',
          description: 'Subscriptions of all sockets, by the kind of topic.',
          queries: [ask('sum by (topic) (predictd_socket_subscriptions)', '{{topic}}')],
          thresholds: { red: 100000 },
          empty: NO_DATA,
          runbook: 'PredictdShedding',
        },
        {
          title: 'Furthest behind',
          kind: 'lines',
          unit: 'bytes',
          description: 'Bytes that wait for the slowest reader; beyond the bound it is cut off.',
          queries: [ask('max(predictd_socket_backlog_bytes)', 'waiting')],
          thresholds: { orange: 262144, red: 1048576 },
          empty: NO_DATA,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'Sockets that ended',
          kind: 'lines',
          unit: 'opm',
          description: 'Sockets that ended a minute, by why: lost is the client or the line.',
          queries: [
            ask(
              '60 * sum by (reason) (rate(predictd_sockets_closed_total[$__rate_interval])) > 0',
              '{{reason}}',
            ),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: UNUSED,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'Published',
          kind: 'lines',
          unit: 'reqps',
          description: 'Messages to topics a second; one counts once however many read it.',
          queries: [
            ask('sum(rate(predictd_socket_publishes_total[$__rate_interval]))', 'messages'),
          ],
          thresholds: { red: 100000 },
          empty: NO_DATA,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'Notifications by kind',
          kind: 'lines',
          unit: 'opm',
          description: 'Notifications made a minute.',
          queries: [
            ask(
              '60 * sum by (kind) (rate(predictd_notifications_total[$__rate_interval])) > 0',
              '{{kind}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdPushWaits',
        },
        {
          title: 'Push messages',
          kind: 'lines',
          unit: 'opm',
          description: 'Messages to browsers by what became of them.',
          queries: [
            ask(
              '60 * sum by (outcome) (rate(predictd_push_messages_total[$__rate_interval])) > 0',
              '{{outcome}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdPushWaits',
        },
        {
          title: 'Push messages that wait',
          kind: 'lines',
          unit: 'short',
          description: 'Neither delivered nor dropped yet. Normal: a few.',
          queries: [ask('max(predictd_push_waiting_messages)', 'waiting')],
          thresholds: { orange: 100, red: 1000 },
          empty: NO_DATA,
          runbook: 'PredictdPushWaits',
        },
        {
          title: 'Push delivered after',
          kind: 'lines',
          unit: 's',
          description:
            'From a notification until the push service of its browser has taken it, p50 and p99.',
          queries: [
            ask(
              'histogram_quantile(0.5, sum by (le) (rate(predictd_push_delivery_seconds_bucket[$__rate_interval])))',
              'p50',
            ),
            ask(
              'histogram_quantile(0.99, sum by (le) (rate(predictd_push_delivery_seconds_bucket[$__rate_interval])))',
              'p99',
            ),
          ],
          thresholds: { orange: 10, red: 300 },
          empty: UNUSED,
          runbook: 'PredictdPushDown',
        },
        {
          title: 'Sign-in codes',
          kind: 'lines',
          unit: 'opm',
          description:
            'Codes by what became of them. Many sent and few right is fraud by text message.',
          queries: [
            ask(
              '60 * sum by (outcome) (rate(predictd_sign_in_codes_total[$__rate_interval])) > 0',
              '{{outcome}}',
            ),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: UNUSED,
          runbook: 'PredictdSignInAbuse',
        },
      ],
    },
    {
      title: 'MCP',
      panels: [
        {
          title: 'Calls by outcome',
          kind: 'lines',
          unit: 'opm',
          description: 'Calls of tools a minute: answered, or the error code.',
          queries: [
            ask(
              '60 * sum by (outcome) (rate(predictd_mcp_call_duration_seconds_count[$__rate_interval]))',
              '{{outcome}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdApiErrors',
        },
        {
          title: 'Refused at the gate',
          kind: 'lines',
          unit: 'opm',
          description: 'Requests refused before a tool was called, by why.',
          queries: [
            ask(
              '60 * sum by (reason) (rate(predictd_mcp_refused_total[$__rate_interval])) > 0',
              '{{reason}}',
            ),
          ],
          thresholds: { orange: 60, red: 600 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdSignInAbuse',
        },
        {
          title: 'Questions to people',
          kind: 'lines',
          unit: 'short',
          description:
            'Orders of assistants that wait for their person, and keys that called in five minutes.',
          queries: [
            ask('max(predictd_confirmations_open)', 'wait'),
            ask('max(predictd_mcp_keys_active)', 'keys'),
          ],
          thresholds: { orange: 100, red: 1000 },
          empty: NO_DATA,
          runbook: 'PredictdConfirmationsWait',
        },
        {
          title: 'Oldest question',
          kind: 'lines',
          unit: 's',
          description: 'How long the oldest has waited; each ends after five minutes.',
          queries: [ask('max(predictd_confirmations_oldest_seconds)', 'oldest')],
          thresholds: { orange: 120, red: 300 },
          empty: NO_DATA,
          runbook: 'PredictdConfirmationsWait',
        },
        {
          title: 'Calls by tool',
          kind: 'lines',
          unit: 'opm',
          description: 'The ten tools called most.',
          queries: [
            ask(
              'topk(10, 60 * sum by (tool) (rate(predictd_mcp_call_duration_seconds_count[$__rate_interval])))',
              '{{tool}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdApiErrors',
        },
        {
          title: 'Slowest tools, p99',
          kind: 'lines',
          unit: 's',
          description:
            'The ten slowest tools. Those that wait for an order take up to 5 s by contract.',
          queries: [
            ask(
              'topk(10, histogram_quantile(0.99, sum by (le, tool) (rate(predictd_mcp_call_duration_seconds_bucket[$__rate_interval]))) > 0)',
              '{{tool}}',
            ),
          ],
          thresholds: { orange: 1, red: 5 },
          empty: UNUSED,
          runbook: 'PredictdEventLoopBlocked',
        },
      ],
    },
  ],
};
