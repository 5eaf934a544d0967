import { counter, counterOf, gauge, histogram, type MetricSpec } from '../metric-spec.ts';

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

/** The process, its store and its disk. */
export const PROCESS_METRICS = {
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
  store_catch_up_seconds: histogram("How long LMDB took to take in a file's worth of the log.", []),
  data_size_bytes: gauge(
    'Bytes in the data folder: log (the open file), small_files (packed ones, kept for ever), lmdb, text_log, other.',
    ['part'],
  ),
  data_free_bytes: gauge('Bytes free for the service on the file system of its data folder.', []),
  data_capacity_bytes: gauge('Size of the file system of the data folder.', []),
  log_file_bytes: gauge("Size of the service's text log in its data folder, where it has one.", []),
  backup_timestamp_seconds: gauge(
    'When the newest copy of the data folder was whole, Unix time; 0 without one.',
    [],
  ),
  backup_failures_total: counter(
    'Copies of the data folder that were asked for and could not be made.',
    [],
  ),
  verify_timestamp_seconds: gauge(
    'When the journal was last verified and found whole, Unix time; 0 where it never was.',
    [],
  ),
  data_keys_to_rewrap: gauge('Data keys still sealed under the former master key.', []),
  build_info: gauge('1; the labels say which version runs, on which Node, in which profile.', [
    'version',
    'node',
    'profile',
  ]),
  heap_limit_bytes: gauge('Bytes the heap of Node may grow to.', []),
  recovery_seconds: gauge('How long the newest start took to take up what was in motion.', []),
  start_time_seconds: gauge('When the service was started, Unix time.', []),
  faults_total: counterOf(
    { event: FAULTS },
    'Faults of the program that were logged and survived, by the event logged.',
  ),
  trace_spans_dropped_total: counterOf(
    { reason: ['queue', 'receiver'] },
    'Spans of traces that were lost: more than may wait, or not taken by the receiver.',
  ),
  log_lines_lost_total: counter(
    'Log lines that could not be written, on a full disk or without a reader.',
    [],
  ),
  clock_steps_total: counterOf(
    { direction: ['ahead', 'back'] },
    "Times the machine's clock was set or the machine slept, by direction.",
  ),
  event_loop_delay_seconds: histogram(
    "The event loop's longest delay in each two seconds: no moment is left out, however seldom it is read.",
    [],
  ),
  metric_series_dropped_total: counter(
    'Observations not counted because a metric had too many label values, by metric.',
    ['metric'],
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;
