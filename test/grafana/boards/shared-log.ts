import { ask, NO_DATA, quantiles, type Board } from '../panel.ts';

export const SHARED_LOG: Board = {
  uid: 'predictd-shared-log',
  title: 'predictd: shared log',
  description:
    'Owners of shards, commits on several machines, waiting processes, snapshots, feeds.',
  rows: [
    {
      title: 'Owners',
      panels: [
        {
          title: 'Owners by shard',
          kind: 'lines',
          unit: 'short',
          description:
            'Processes that own each shard. Normal: 1; 0 for some seconds of a take-over.',
          queries: [ask('sum by (shard) (predictd_shard_state{state="owner"})', 'shard {{shard}}')],
          thresholds: { red: 0.5, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdShardUnowned',
        },
        {
          title: 'Processes by state',
          kind: 'lines',
          unit: 'short',
          description:
            'What processes are to their shards. Normal: one owner a shard, the others following.',
          queries: [ask('sum by (state) (predictd_shard_state)', '{{state}}')],
          thresholds: { orange: 50, red: 100 },
          empty: NO_DATA,
          runbook: 'PredictdShardBroken',
        },
        {
          title: 'Parked processes',
          kind: 'lines',
          unit: 'short',
          description:
            'Processes that cannot go on before a person has done something, by reason. Normal: 0.',
          queries: [ask('sum by (reason) (predictd_shard_broken_state)', '{{reason}}')],
          thresholds: { red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdCommitLogLost',
        },
        {
          title: 'Ownership of the log',
          kind: 'lines',
          unit: 'short',
          description:
            '1 while it is proven, and orders, transactions, pushes and codes may leave. Normal: always.',
          queries: [ask('min(predictd_lease_held)', 'held')],
          thresholds: { red: 0.5, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdLeaseNotHeld',
        },
        {
          title: 'Takes of the shard in an hour',
          kind: 'lines',
          unit: 'short',
          description:
            'How often a process took the log over, by cause. Normal: 0, one with each planned hand-over.',
          queries: [
            ask('sum by (cause) (increase(predictd_shard_takeovers_total[1h]))', '{{cause}}'),
          ],
          thresholds: { orange: 2, red: 3 },
          empty: NO_DATA,
          runbook: 'PredictdTakeoversOften',
        },
        {
          title: 'Last take and replay',
          kind: 'lines',
          unit: 's',
          description: 'How long ago the owner took its shard, and how long it then read.',
          queries: [
            ask('time() - max(predictd_shard_taken_timestamp_seconds > 0)', 'taken'),
            ask('max(predictd_shard_replay_seconds)', 'replay'),
          ],
          thresholds: { orange: 31536000, red: 63072000 },
          empty: NO_DATA,
          runbook: 'PredictdTakeoversOften',
        },
        {
          title: 'Epoch',
          kind: 'lines',
          unit: 'short',
          description: 'How often the shard was taken in all, and owners that were fenced.',
          queries: [
            ask('max(predictd_shard_epoch)', 'epoch'),
            ask('sum(increase(predictd_shard_fenced_total[1h]))', 'fenced'),
          ],
          thresholds: { orange: 10000, red: 100000 },
          empty: NO_DATA,
          runbook: 'PredictdTakeoversOften',
        },
      ],
    },
    {
      title: 'Commits',
      panels: [
        {
          title: 'Commits of the shared log',
          kind: 'lines',
          unit: 's',
          description: 'Quantiles of the time until a commit is on two nodes. Normal: 1 to 5 ms.',
          queries: quantiles('commit_log_append_seconds'),
          thresholds: { orange: 0.02, red: 0.05 },
          empty: NO_DATA,
          runbook: 'PredictdCommitSlow',
        },
        {
          title: 'Undecided commits',
          kind: 'lines',
          unit: 'short',
          description:
            'Commits without an answer in five minutes, each decided by a write. Normal: 0.',
          queries: [ask('sum(increase(predictd_commit_log_undecided_total[5m]))', 'undecided')],
          thresholds: { orange: 1, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdCommitSlow',
        },
        {
          title: 'Confirming nodes',
          kind: 'lines',
          unit: 'short',
          description: 'Nodes of the database of which one confirms each commit. Normal: 2.',
          queries: [
            ask(
              'min(predictd_commit_log_standbys and on (job, instance) predictd_shard_epoch > 0)',
              'nodes',
            ),
          ],
          thresholds: { orange: 2, red: 1, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdNoStandbyNode',
        },
      ],
    },
    {
      title: 'Waiting processes and snapshots',
      panels: [
        {
          title: 'Frames not read',
          kind: 'lines',
          unit: 'short',
          description: 'What waiting processes have not read of the log. Normal: near 0.',
          queries: [ask('max(predictd_follower_lag_frames)', 'frames')],
          thresholds: { orange: 1000, red: 10000 },
          empty: NO_DATA,
          runbook: 'PredictdFollowerBehind',
        },
        {
          title: 'Behind for',
          kind: 'lines',
          unit: 's',
          description:
            'For how long a waiting process has not been up to the newest frame. Normal: seconds.',
          queries: [ask('max(predictd_follower_lag_seconds)', 'behind')],
          thresholds: { orange: 10, red: 30 },
          empty: NO_DATA,
          runbook: 'PredictdFollowerBehind',
        },
        {
          title: 'Age of the newest snapshot',
          kind: 'lines',
          unit: 's',
          description:
            'Since the newest snapshot of the log was restored once. Normal: below a day.',
          queries: [ask('max(predictd_snapshot_age_seconds)', 'age')],
          thresholds: { orange: 100000, red: 172800 },
          empty: NO_DATA,
          runbook: 'PredictdSnapshotOld',
        },
        {
          title: 'Snapshots',
          kind: 'lines',
          unit: 'short',
          description: 'Snapshots made and failed in a day. Normal: one made a day and shard.',
          queries: [ask('sum by (result) (increase(predictd_snapshots_total[1d]))', '{{result}}')],
          thresholds: { orange: 10, red: 50 },
          empty: NO_DATA,
          runbook: 'PredictdSnapshotOld',
        },
      ],
    },
    {
      title: 'Gateways',
      panels: [
        {
          title: 'Calls handed on again',
          kind: 'lines',
          unit: 'reqps',
          description:
            'Calls that gateways repeated, since the owner of the log had ended or lost it. Normal: 0, some with each change of owner.',
          queries: [ask('sum(rate(predictd_forward_retries_total[5m]))', 'again')],
          thresholds: { orange: 5, red: 50 },
          empty: NO_DATA,
          runbook: 'PredictdLeaseNotHeld',
        },
        {
          title: 'Sockets of gateways',
          kind: 'lines',
          unit: 'short',
          description:
            'Sockets that gateways relay, and those joined to another owner in five minutes. Normal: none rejoined but with a change of owner.',
          queries: [
            ask('sum(predictd_gateway_sockets_open)', 'open'),
            ask('sum(increase(predictd_gateway_sockets_rejoined_total[5m]))', 'rejoined'),
          ],
          thresholds: { orange: 4_000, red: 5_000 },
          empty: NO_DATA,
          runbook: 'PredictdLeaseNotHeld',
        },
        {
          title: 'Certificates of gateways',
          kind: 'lines',
          unit: 's',
          description:
            'How long the certificate that each gateway serves HTTPS by is still valid; empty where a proxy does. Normal: above two weeks.',
          queries: [
            ask(
              '(predictd_certificate_valid_until_timestamp_seconds > 0) - time()',
              '{{instance}}',
            ),
          ],
          thresholds: { orange: 1_209_600, red: 259_200, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdCertificateEnds',
        },
      ],
    },
    {
      title: 'Feeds',
      panels: [
        {
          title: 'Silence of feeds',
          kind: 'lines',
          unit: 's',
          description:
            'Since when no feed has answered a process that reads from them. Normal: a quarter of a second; above one second the feed is left for another one.',
          queries: [ask('max by (instance) (predictd_link_silent_seconds)', '{{instance}}')],
          thresholds: { orange: 1, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdFeedsSilent',
        },
        {
          title: 'Readers of feeds',
          kind: 'lines',
          unit: 'short',
          description:
            'Processes that read from each feed, and feeds that were left in five minutes. Normal: spread over the feeds, none left.',
          queries: [
            ask('sum by (instance) (predictd_feed_readers_open)', 'at {{instance}}'),
            ask('sum(increase(predictd_link_lost_total[5m]))', 'left'),
          ],
          thresholds: { orange: 64, red: 128 },
          empty: NO_DATA,
          runbook: 'PredictdFeedsSilent',
        },
        {
          title: 'What feeds follow',
          kind: 'lines',
          unit: 'short',
          description:
            'Sources of prices and groups of markets that each feed follows. Normal: as many as the processes that read from it watch together.',
          queries: [ask('sum by (instance) (predictd_feed_channels_open)', '{{instance}}')],
          thresholds: { orange: 500, red: 1_000 },
          empty: NO_DATA,
          runbook: 'PredictdFeedsSilent',
        },
        {
          title: 'Left out by feeds',
          kind: 'lines',
          unit: 'short',
          description:
            'Changes in a minute that feeds left out for readers too slow to take them, who get the whole book later. Normal: 0.',
          queries: [ask('sum by (what) (increase(predictd_feed_left_out_total[1m]))', '{{what}}')],
          thresholds: { orange: 100, red: 10_000 },
          empty: NO_DATA,
          runbook: 'PredictdFeedsSilent',
        },
      ],
    },
  ],
};
