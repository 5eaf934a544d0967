import { NOTIFICATION_KINDS } from '../../../domain/notification-table.ts';
import { counter, counterOf, gauge, type MetricSpec } from '../metric-spec.ts';

/** A call is a read of memory, or waits for a venue: finer steps would only make more series. */
const HTTP_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Some eighty endpoints, most of which answer five to ten statuses. */
const HTTP_SERIES_MAXIMUM = 1_000;
/** Some twenty tools, each with a handful of codes. */
const MCP_SERIES_MAXIMUM = 400;

/** What people and programs call: HTTP, sockets, MCP, messages. */
export const PEOPLE_METRICS = {
  sign_in_codes_total: counterOf(
    { outcome: ['sent', 'right', 'wrong', 'spent', 'expired'] },
    'One-time codes, by what became of them: sent, right, wrong, spent, expired. Many sent and few right is fraud by text message.',
  ),
  notifications_total: counterOf(
    { kind: NOTIFICATION_KINDS },
    'Notifications made for users, by kind.',
  ),
  push_messages_total: counterOf(
    {
      outcome: [
        'sent',
        'waits',
        'unsubscribed',
        'refused',
        'unknown',
        'expired',
        'exhausted',
        'interrupted',
        'crowded',
      ],
    },
    'Messages to browsers by what became of them: sent, waits (to be tried again), or why they were dropped.',
  ),
  push_delivery_seconds: {
    kind: 'histogram',
    labels: [],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600],
    help: 'From a notification until the push service of its browser has taken it.',
  },
  push_waiting_messages: gauge(
    'Messages to browsers that are neither delivered nor dropped yet.',
    [],
  ),
  confirmations_open: gauge(
    'Orders of assistants that wait for their person, of those put forward since the start.',
    [],
  ),
  confirmations_oldest_seconds: gauge(
    'How long the oldest of them has waited; 0 without one, and never beyond five minutes, when it ends.',
    [],
  ),
  mcp_keys_active: gauge('API keys that called the MCP server in the last five minutes.', []),
  mcp_refused_total: counterOf(
    {
      reason: [
        'host',
        'forbidden',
        'method_not_allowed',
        'invalid_request',
        'api_key_invalid',
        'rate_limited',
        'overloaded',
        'internal',
      ],
    },
    'Requests to the MCP server that were refused before a tool was called, by why.',
  ),
  socket_subscriptions: gauge('Subscriptions of all sockets, by the kind of topic.', ['topic']),
  socket_backlog_bytes: gauge(
    'Bytes that wait for the socket that is furthest behind; one beyond the bound is cut off.',
    [],
  ),
  sockets_closed_total: counterOf(
    {
      reason: [
        'slow',
        'idle',
        'lost',
        'going_away',
        'too_large',
        'faults',
        'unauthenticated',
        'forbidden',
        'auth_timeout',
        'too_many',
      ],
    },
    'WebSockets that ended, by why: too slow a reader, silence, the client or the line (lost), or what this service ended it for.',
  ),
  sockets_open: gauge('WebSockets open now.', []),
  socket_publishes_total: counter(
    'Messages published to WebSocket topics; one to a topic counts once, however many read it.',
    [],
  ),
  http_request_duration_seconds: {
    kind: 'histogram',
    labels: ['method', 'route', 'status'],
    buckets: HTTP_SECONDS,
    seriesMaximum: HTTP_SERIES_MAXIMUM,
    help: 'Time from a request whose head has come to its answer, waiting for its body included, by the path as the endpoint table writes it; none where no endpoint took it.',
  },
  http_requests_in_flight: gauge(
    'Most calls of a kind that were answered at the same time since the last reading.',
    ['kind'],
  ),
  auth_failures_total: counterOf(
    {
      reason: [
        'unauthenticated',
        'token_invalid',
        'token_expired',
        'api_key_invalid',
        'forbidden',
        'internal_secret',
        'operator',
      ],
    },
    'Calls refused for who makes them, by the code they got; wrong internal secrets and calls for operators apart.',
  ),
  idempotent_replays_total: counterOf(
    {},
    'Calls answered again as before, since their Idempotency-Key had been used for the same.',
  ),
  http_shed_total: counterOf(
    {
      kind: ['critical', 'trade', 'sign_in', 'read'],
      reason: [
        'too_many_waiting',
        'too_many_running',
        'too_many_bodies',
        'too_many_bodies_of_address',
        'too_many_bodies_of_user',
      ],
    },
    'Requests answered 503 without being read because too much was under way, by kind of call and what was full.',
  ),
  mcp_call_duration_seconds: {
    kind: 'histogram',
    labels: ['tool', 'outcome'],
    buckets: HTTP_SECONDS,
    seriesMaximum: MCP_SERIES_MAXIMUM,
    help: 'Time of a call of an MCP tool, by the tool and by what came of it: answered, or the error code.',
  },
  rate_limited_total: counterOf(
    {
      bucket: [
        'reads',
        'writes',
        'stops',
        'lookups',
        'probes',
        'sign_in',
        'sign_in_check',
        'mcp',
        'mcp_money',
        'mcp_stops',
        'mcp_unauthenticated',
      ],
    },
    'Calls refused because their caller had used up what it may do in that time, by what is counted.',
  ),
  http_refused_total: counterOf(
    {
      reason: [
        'duplicate_content_length',
        'duplicate_host',
        'missing_host',
        'bad_content_length',
        'transfer_encoding',
        'too_many_headers',
        'headers_too_large',
        'unknown_method',
        'malformed',
        'control_character',
      ],
    },
    'Requests refused for their head alone, by why; their connection is closed.',
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;
