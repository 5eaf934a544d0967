/** What a metric is. `labels` names every label it carries, always all of them. */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in the unit of the name. */
  readonly buckets?: readonly number[];
  /** Most combinations of label values; 256 unless said otherwise. */
  readonly seriesMaximum?: number;
  /**
   * Series that stand at zero from the start: an alert on the rise of a counter would miss the
   * first one otherwise.
   */
  readonly series?: readonly Readonly<Record<string, string>>[];
}

/** From a fast commit to a slow venue: 0.1 ms to 10 s. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** A call is a read of memory, or waits for a venue: finer steps would only make more series. */
const HTTP_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Some eighty endpoints, most of which answer five to ten statuses. */
const HTTP_SERIES_MAXIMUM = 1_000;

/** Some twenty tools, each with a handful of codes. */
const MCP_SERIES_MAXIMUM = 400;

/** Chains that are asked, by id; and what comes of a question. */
const CHAIN_CALLS = ['1', '10', '56', '137', '8453', '42161', 'solana'].flatMap((chain) =>
  ['answered', 'reverted', 'failed'].map((outcome) => ({ chain, outcome })),
);

/**
 * Lines of the log that tell of a fault of the program, after which something stays undone until
 * the next start.
 */
export const FAULTS = [
  'agent.failed',
  'bus.listener_failed',
  'deposit.actor_failed',
  'money.reconciler_ended',
  'notification.failed',
  'order.actor_failed',
  'position.actor_failed',
  'swap.actor_failed',
  'transaction.actor_failed',
  'unwind.failed',
] as const;

/**
 * Every metric of the service: what is not here cannot be counted. Dashboards and alert rules name
 * these.
 */
export const METRICS = {
  decisions_total: counter(
    'Decisions agents made, by agent and verdict (enter, skip, exit, hold).',
    ['agent', 'verdict'],
  ),
  farm_candidates_open: gauge(
    'Markets that the newest scan of a farming agent kept as candidates.',
    ['agent'],
  ),
  farm_scans_failed_total: counter('Scans for markets to farm that failed.', ['agent']),
  farm_assessments_total: counter(
    'Questions to the risk assessor, by what came of them: a verdict, or why there was none.',
    ['outcome'],
  ),
  orders_total: counter(
    'Changes of state of orders, by the state an order came to; an order counts once in each state it passes.',
    ['state'],
  ),
  order_submissions_total: counter('Attempts to send an order to the venue, by how it answered.', [
    'outcome',
  ]),
  order_cancels_total: counter('Requests to the venue to cancel an order, by how it answered.', [
    'outcome',
  ]),
  order_ends_unasked_total: counter(
    'Resting orders that the venue cancelled before their time and without a request.',
    [],
  ),
  order_stage_seconds: histogram(
    'Time an order spends in each stage on its way to the venue, such as being stored or being sent.',
    ['stage'],
  ),
  foreign_orders_total: counter(
    "Orders and fills on the venue's user channel that no known order explains.",
    [],
  ),
  fills_total: counter('Fills the venue reported, by what they changed here.', ['result']),
  ledger_imbalance_usdc: gauge(
    'Sum of all postings of the ledger, which must be 0: what stands in its way is money that came from nowhere or went nowhere.',
    [],
  ),
  funds_disputes_open: gauge(
    'Accounts whose funds the venue does not find though the ledger has them.',
    [],
  ),
  settlement_breakers_open: gauge(
    'Breakers that hold entries of agents back because trades fail to settle: of single users, and of all.',
    ['scope'],
  ),
  stream_trouble_users: gauge(
    'Users for whom it is not known what becomes of their orders, by what is missing.',
    ['reason'],
  ),
  resting_orders_open: gauge('Resting orders that this service keeps for their venue.', []),
  stop_sweeps_open: gauge('Stops whose open buys are being cancelled.', []),
  trading_stops_open: gauge('Stops of trading that hold: of single users, and of all.', ['scope']),
  agents_degraded: gauge(
    'Enabled agents that do not decide because an input of their markets is missing.',
    ['agent', 'reason'],
  ),
  paper_price_difference_usdc: {
    kind: 'histogram',
    help: 'Paid a share for real beyond what the same order paid on paper; below zero when real was cheaper.',
    labels: [],
    buckets: [-0.1, -0.05, -0.02, -0.01, -0.005, 0, 0.005, 0.01, 0.02, 0.05, 0.1],
  },
  lock_wait_seconds: histogram(
    "Time an order waits for its user's other orders, from request to its turn.",
    [],
  ),
  store_commit_seconds: histogram(
    'Time from asking for a change of the store to its being durable.',
    [],
  ),
  store_failures_total: counter('Changes that could not be stored, of which nothing was kept.', []),
  store_log_bytes: gauge("Bytes in the store's log that LMDB has not taken in yet.", []),
  store_catch_ups_failed: gauge(
    "Attempts of LMDB to keep up with the store's log that have failed in a row; 0, always.",
    [],
  ),
  books_watched: gauge('Order books kept up to date now.', []),
  books_trusted: gauge('Order books kept now that may be traded on.', []),
  book_age_seconds: gauge(
    'Age of the oldest order book kept: seconds since its newest message.',
    [],
  ),
  book_incidents_total: startingAt(
    [
      'no_snapshot',
      'gap',
      'crossed',
      'tick_changed',
      'silent_stall',
      'mirror_broken',
      'snapshot_failed',
    ].map((incident) => ({ incident })),
    counter('Times an order book lost its trust, by why.', ['incident']),
  ),
  strike_contradictions_total: startingAt(
    [{ asset: 'BTC' }, { asset: 'ETH' }, { asset: 'SOL' }],
    counter('Rounds whose stated price to beat is not the one we captured.', ['asset']),
  ),
  feed_age_seconds: gauge('Seconds since the newest value of a price feed.', ['feed']),
  feed_dropped_total: counter('Messages of price feeds that were not used, by feed and why.', [
    'feed',
    'reason',
  ]),
  reconnects_total: counter('Connections that were made again after one was lost, by source.', [
    'source',
  ]),
  venue_calls_total: counter('HTTP calls to venues, by what they were about and how they ended.', [
    'venue',
    'family',
    'outcome',
  ]),
  venue_dropped_total: counter(
    'Messages of venue channels that were not used because they could not be read, by channel and why.',
    ['venue', 'channel', 'reason'],
  ),
  venue_markets_refused_total: counter(
    'Markets a venue lists that are not traded here, each once: of another version of its exchange.',
    ['venue'],
  ),
  transaction_queues_stopped: gauge(
    'Queues of transactions that stand still, since what their first transaction means is not known.',
    ['chain'],
  ),
  venue_book_hashes_total: counter(
    'Whole books compared with the hash they carry, by whether it was right.',
    ['venue', 'result'],
  ),
  venue_refusals_total: counter(
    'Calls the venue refused for a reason of its own, whatever they asked for.',
    ['venue', 'reason'],
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
  venue_region_questions_total: counter(
    'Questions to a venue that turns orders away, whether it still does, by its answer.',
    ['venue', 'outcome'],
  ),
  chain_calls_total: startingAt(
    CHAIN_CALLS,
    counter('Calls to nodes of chains, by chain id and how they ended.', ['chain', 'outcome']),
  ),
  bridge_calls_total: counter('HTTP calls to the bridge, by call and how they ended.', [
    'call',
    'outcome',
  ]),
  token_data_calls_total: counter(
    'HTTP calls to sources of token data, by source and how they ended.',
    ['source', 'outcome'],
  ),
  router_calls_total: counter(
    'HTTP calls to the swap and bridge router, by call and how they ended.',
    ['call', 'outcome'],
  ),
  swaps_total: counter('Swaps and bridges that ended, by how.', ['state']),
  swap_offers_refused_total: {
    kind: 'counter',
    help: 'Offers of the router that were not safe to sign, by where that was seen.',
    labels: ['stage'],
    series: [{ stage: 'quote' }, { stage: 'execution' }],
  },
  deposits_open: gauge('Deposits the bridge has reported and that have not ended.', []),
  deposits_unproven: gauge(
    'Deposits the bridge says it has paid and the chain does not show; 0, always.',
    [],
  ),
  deposits_total: counter('Deposits that ended, by how.', ['state']),
  deposits_dropped_total: counter(
    'Payments that were not kept because their deposit address had too many.',
    [],
  ),
  deposit_addresses_watched: gauge('Deposit addresses the bridge is asked about now.', []),
  relayer_calls_total: counter(
    'HTTP calls to the relayer of Safe transactions, by call and how they ended.',
    ['call', 'outcome'],
  ),
  sign_in_codes_total: counter(
    'One-time codes, by what became of them: sent, right, wrong, spent, expired. Many sent and few right is fraud by text message.',
    ['outcome'],
  ),
  data_keys_to_rewrap: gauge('Data keys still sealed under the former master key.', []),
  transactions_total: counter(
    'Transactions on chains (deployments, withdrawals, transfers, redemptions) that ended, by kind and how.',
    ['kind', 'state'],
  ),
  money_reconciled_users: gauge(
    'Users whose ledger was compared with the chain in the last round.',
    [],
  ),
  money_mismatched_users: gauge('Users whose ledger is not what the chain says; 0, always.', []),
  wallets_mismatched_users: gauge(
    'Users whose own wallets differ from the ledger by what no transaction explains; 0, always.',
    [],
  ),
  transaction_sends_total: counter(
    'Times a transaction was handed over to be sent, by what carries it and how that answered.',
    ['rail', 'outcome'],
  ),
  notifications_total: counter('Notifications made for users, by kind.', ['kind']),
  push_messages_total: counter(
    'Messages to browsers by what became of them: sent, waits (to be tried again), or why they were dropped.',
    ['outcome'],
  ),
  push_waiting_messages: gauge(
    'Messages to browsers that are neither delivered nor dropped yet.',
    [],
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
  http_shed_total: counter(
    'Requests answered 503 without a look because too much was under way, by kind of call and what was full.',
    ['kind', 'reason'],
  ),
  mcp_call_duration_seconds: {
    kind: 'histogram',
    labels: ['tool', 'outcome'],
    buckets: HTTP_SECONDS,
    seriesMaximum: MCP_SERIES_MAXIMUM,
    help: 'Time of a call of an MCP tool, by the tool and by what came of it: answered, or the error code.',
  },
  http_refused_total: counter(
    'Requests refused for their head alone, by why; their connection is closed.',
    ['reason'],
  ),
  build_info: gauge('1; the labels say which version runs, on which Node, in which profile.', [
    'version',
    'node',
    'profile',
  ]),
  start_time_seconds: gauge('When the service was started, Unix time.', []),
  faults_total: startingAt(
    FAULTS.map((event) => ({ event })),
    counter('Faults of the program that were logged and survived, by the event logged.', ['event']),
  ),
  log_lines_lost_total: counter(
    'Log lines that could not be written, on a full disk or without a reader.',
    [],
  ),
  clock_steps_total: startingAt(
    [{ direction: 'ahead' }, { direction: 'back' }],
    counter("Times the machine's clock was set or the machine slept, by direction.", ['direction']),
  ),
  event_loop_delay_seconds: gauge(
    "99th percentile of the event loop's delay since the figure before.",
    [],
  ),
  metric_series_dropped_total: counter(
    'Observations not counted because a metric had too many label values, by metric.',
    ['metric'],
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;

function counter(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'counter', help, labels };
}

function gauge(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'gauge', help, labels };
}

function histogram(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'histogram', help, labels, buckets: SECONDS };
}

function startingAt(series: NonNullable<MetricSpec['series']>, spec: MetricSpec): MetricSpec {
  return { ...spec, series };
}
