/** What a metric is. `labels` names every label it carries, always all of them. */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in the unit of the name. */
  readonly buckets?: readonly number[];
  /** Series that stand at zero from the start: an alert on the rise of a counter would miss the first one otherwise. */
  readonly series?: readonly Readonly<Record<string, string>>[];
}

/** From a fast commit to a slow venue: 0.1 ms to 10 s. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Why the venue refuses calls, as its client tells them apart. */
const REFUSALS = ['restarting', 'post_only', 'cancel_only', 'disabled', 'throttled', 'order_version'] as const;
/** Messages whose shape is not the known one. */
const UNREADABLE = [['market', 'schema'], ['user', 'schema'], ['scan', 'unreadable'], ['trades', 'unreadable'], ['orders', 'unreadable']].map(([channel = '', reason = '']) => ({ venue: 'venue_a', channel, reason }));

/** Chains that are asked, by id; and what comes of a question. */
const CHAIN_CALLS = ['1', '10', '56', '137', '8453', '42161', 'solana'].flatMap((chain) => ['answered', 'reverted', 'failed'].map((outcome) => ({ chain, outcome })));

/** Lines of the log that tell of a fault of the program, after which something stays undone until the next start. */
export const FAULTS = [
  'agent.failed', 'bus.listener_failed', 'deposit.actor_failed', 'money.reconciler_ended', 'notice.failed', 'order.actor_failed', 'position.actor_failed', 'safe_action.actor_failed', 'wind_up.failed',
] as const;

/** Every metric of the service: what is not here cannot be counted. Dashboards and alert rules name these. */
export const METRICS = {
  decisions_total: counter('Decisions of agents by verdict.', ['agent', 'verdict']),
  farm_candidates_open: gauge('Markets the newest scan found worth a look.', ['agent']),
  farm_scans_failed_total: counter('Scans for markets to farm that failed.', ['agent']),
  farm_assessments_total: counter('Answers of the risk assessor, verdicts and gaps.', ['outcome']),
  orders_total: counter('Orders that came to a state.', ['state']),
  order_submissions_total: counter('Answers to submissions.', ['outcome']),
  order_cancels_total: counter('Answers to cancels.', ['outcome']),
  order_ends_unasked_total: counter('Resting orders that the venue cancelled before their time and nobody had asked it to.', []),
  order_stage_seconds: histogram('Time an order spends in a stage of its way out.', ['stage']),
  foreign_orders_total: counter('Orders and fills the venue told of that are not ours.', []),
  fills_total: counter('What venue fills changed here.', ['result']),
  ledger_imbalance_micros: gauge('How far the books are off; 0, always.', []),
  funds_disputes_open: gauge('Accounts whose funds the venue does not find though the ledger has them.', []),
  settlement_breakers_open: gauge('Breakers that hold entries of agents back because trades fail to settle: of users, and of the whole house.', ['scope']),
  stream_trouble_users: gauge('Users of whom it is not known what becomes of their orders, by what is missing.', ['reason']),
  stop_sweeps_open: gauge('Stops whose open buys are being cancelled.', []),
  trading_stops_open: gauge('Stops that hold: of users, and of the whole house.', ['scope']),
  agents_degraded: gauge('Enabled agents that do not decide because an input of their markets is missing.', ['agent', 'reason']),
  paper_price_difference_usd: { kind: 'histogram', help: 'Paid a share for real beyond what the paper twin paid; below zero when real was cheaper.', labels: [], buckets: [-0.1, -0.05, -0.02, -0.01, -0.005, 0, 0.005, 0.01, 0.02, 0.05, 0.1] },
  lock_wait_seconds: histogram("Wait for a user's trading lock.", []),
  store_commit_seconds: histogram('Time from a change asked for to a change durable.', []),
  store_failures_total: counter('Changes that could not be stored, of which nothing was kept.', []),
  store_log_bytes: gauge('Bytes of the store\'s log that LMDB has not taken in.', []),
  store_catch_ups_failed: gauge('Attempts of LMDB to keep up with the store\'s log that have failed in a row; 0, always.', []),
  books_watched: gauge('Order books kept.', []),
  books_trusted: gauge('Order books that may be traded on.', []),
  book_age_seconds: gauge('Age of the oldest book kept.', []),
  book_incidents_total: startingAt(['no_snapshot', 'gap', 'crossed', 'tick_changed', 'silent_stall', 'mirror_broken', 'snapshot_failed'].map((incident) => ({ incident })), counter('Gaps, crossings and other reasons a book lost its trust.', ['incident'])),
  strike_contradictions_total: startingAt([{ asset: 'BTC' }, { asset: 'ETH' }, { asset: 'SOL' }], counter('Rounds whose stated price to beat is not the one we captured.', ['asset'])),
  feed_age_seconds: gauge("Age of a price feed's newest value.", ['feed']),
  feed_dropped_total: counter('Messages of price feeds left out.', ['feed', 'reason']),
  reconnects_total: counter('Connections made anew.', ['source']),
  venue_calls_total: counter('Calls to venues.', ['venue', 'family', 'outcome']),
  venue_dropped_total: startingAt(UNREADABLE, counter('Messages of venue channels left out.', ['venue', 'channel', 'reason'])),
  venue_refusals_total: startingAt(REFUSALS.map((reason) => ({ venue: 'venue_a', reason })), counter('Calls the venue refused for a reason of its own, whatever they asked for.', ['venue', 'reason'])),
  venue_restricted_state: gauge('1 while the venue turns orders away for where we are, 0 otherwise.', ['venue']),
  venue_region_questions_total: counter('Questions to a venue that turns orders away, whether it still does, by its answer.', ['venue', 'outcome']),
  chain_calls_total: startingAt(CHAIN_CALLS, counter('Questions to chains.', ['chain', 'outcome'])),
  bridge_calls_total: counter('Calls to the bridge.', ['call', 'outcome']),
  deposits_open: gauge('Deposits on their way, by the bridge\'s word.', []),
  deposits_unproven: gauge('Deposits the bridge says it has paid and the chain does not show; 0, always.', []),
  deposits_total: counter('Deposits that ended.', ['state']),
  deposits_dropped_total: counter('Payments to a deposit address with too many of them to be kept.', []),
  deposit_addresses_watched: gauge('Deposit addresses that are followed.', []),
  relayer_calls_total: counter('Calls to the relayer of Safes.', ['call', 'outcome']),
  sign_in_codes_total: counter('One-time codes by what became of them; many sent and few right is somebody earning by texts.', ['outcome']),
  data_keys_to_rewrap: gauge('Data keys still under a former master key.', []),
  safe_actions_total: counter('Actions of Safes that ended.', ['kind', 'state']),
  money_reconciled_users: gauge('Users whose ledger was compared with the chain in the last round.', []),
  money_mismatched_users: gauge('Users whose ledger is not what the chain says; 0, always.', []),
  safe_submissions_total: counter('Answers of the relayer to actions of Safes.', ['outcome']),
  notifications_total: counter('Notifications made.', ['kind']),
  push_messages_total: counter('Messages to browsers by what became of them: sent, waits (to be tried again), or why they were dropped.', ['outcome']),
  push_waiting_messages: gauge('Messages to browsers that have not come to their end.', []),
  sockets_open: gauge('WebSockets served.', []),
  socket_publishes_total: counter('Messages published to WebSocket topics.', []),
  http_requests_total: counter('Requests answered.', ['family', 'status']),
  http_request_seconds: histogram('Time to answer a request.', ['method']),
  http_shed_total: counter('Requests refused at once because too much was under way.', ['kind', 'reason']),
  http_refused_total: counter('Requests closed before they were read.', ['reason']),
  start_time_seconds: gauge('When this process started, Unix time.', []),
  faults_total: startingAt(FAULTS.map((event) => ({ event })), counter('Faults of the program that were logged and gone on from, by the line that tells of them.', ['event'])),
  log_lines_lost_total: counter('Lines of the log that found no room, on a full disk or with nobody reading.', []),
  clock_steps_total: startingAt([{ direction: 'ahead' }, { direction: 'back' }], counter('Times the machine\'s clock was set, or the machine slept.', ['direction'])),
  event_loop_delay_seconds: gauge('99th percentile of the event loop delay since the last look.', []),
  metric_series_dropped_total: counter('Observations left out because a metric had too many label values.', ['metric']),
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
