import { BROKEN_REASONS, SHARD_STATE_KINDS } from '../../../domain/shard-states.ts';
import { counter, counterOf, gauge, histogram, type MetricSpec } from '../metric-spec.ts';

/** A log that several machines keep, what this process is to its shard, gateways and feeds. */
export const SHARD_METRICS = {
  shard_epoch: gauge(
    'How often the shard of the log was taken; 0 where this machine keeps its log for itself.',
    [],
  ),
  lease_held: gauge('1 while orders, transactions, pushes and codes may leave; 0 while not.', []),
  shard_state: gauge(
    `1 for what this process is to its shard (${SHARD_STATE_KINDS.join(', ')}); absent where this machine keeps its log for itself.`,
    ['shard', 'state'],
  ),
  shard_broken_state: gauge(
    `1 for why a process is parked (${BROKEN_REASONS.join(', ')}), else 0; absent without a shared log.`,
    ['reason'],
  ),
  shard_takeovers_total: counterOf(
    { cause: ['first', 'released', 'disconnected', 'expired'] },
    "Takes of the shard by this process: the first of all, after its owner let it go, after the owner's connection was lost, after a lease.",
  ),
  shard_taken_timestamp_seconds: gauge(
    'When this process took its shard, Unix time; 0 while it has not.',
    [],
  ),
  shard_replay_seconds: gauge(
    'How long the newest take needed to read the rest of the log and open the store; 0 before one.',
    [],
  ),
  shard_fenced_total: counter(
    'Times that another process has taken the shard from this one, which then ends.',
    [],
  ),
  certificate_valid_until_timestamp_seconds: gauge(
    'When the certificate that a gateway serves HTTPS by ends, Unix time; 0 without one.',
    [],
  ),
  commit_log_append_seconds: histogram(
    'Time of a commit in the shared log, until it is on the disks of a quorum.',
    [],
  ),
  commit_log_undecided_total: counter(
    'Commits without an answer, which were then decided by a write.',
    [],
  ),
  commit_log_standbys: gauge(
    'Nodes of the database of which one confirms each commit; 1 where its provider replicates below it.',
    [],
  ),
  follower_lag_frames: gauge(
    'Frames of the shared log that this process has not read while it waits; 0 of an owner.',
    [],
  ),
  follower_lag_seconds: gauge(
    'For how long this process, while it waits, has not been up to the newest frame; 0 of an owner.',
    [],
  ),
  snapshot_age_seconds: gauge(
    'Age of the newest snapshot of the log that was restored once, or how long none is known; 0 without a shared log.',
    [],
  ),
  snapshots_total: counterOf(
    { result: ['made', 'failed'] },
    'Snapshots of the log that this process has made and restored, and those that failed.',
  ),
  forward_retries_total: counter(
    'Calls that a gateway handed on once more, since no answer came; 0 of any other process.',
    [],
  ),
  gateway_sockets_open: gauge('Sockets of clients that a gateway relays.', []),
  gateway_sockets_rejoined_total: counter(
    'Times that a socket was joined to another owner of the shard, or to the same one anew.',
    [],
  ),
  link_silent_seconds: gauge(
    'Since when no feed has answered this process; 0 where it reads prices and books from their sources itself.',
    [],
  ),
  link_lost_total: counter(
    'Feeds that this process has left, since they ended or were silent for a second.',
    [],
  ),
  feed_readers_open: gauge('Processes that read from this feed; 0 of any other process.', []),
  feed_channels_open: gauge(
    'Sources of prices and groups of markets that this feed follows for its readers.',
    [],
  ),
  feed_left_out_total: counterOf(
    { what: ['book', 'trade'] },
    'Changes that a feed left out for a reader that took them too slowly: it gets the whole book once it has caught up.',
  ),
} as const satisfies Readonly<Record<string, MetricSpec>>;
