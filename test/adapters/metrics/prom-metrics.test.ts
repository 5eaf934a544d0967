import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DECISION_REASONS } from '../../../src/domain/decision-reason.ts';
import type { MetricSpec } from '../../../src/adapters/metrics/metric-spec.ts';
import { METRICS } from '../../../src/adapters/metrics/metric-table.ts';
import { createPromMetrics, type PromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';

describe('the metrics', () => {
  it('are shown as Prometheus reads them', async () => {
    const metrics = createPromMetrics();
    metrics.count('orders_total', { venue: 'venue_a', state: 'filled' });
    metrics.count('orders_total', { venue: 'venue_a', state: 'filled' }, 2);
    metrics.gauge('ledger_imbalance_usdc', 0);
    metrics.observe('order_stage_seconds', 0.0004, { venue: 'venue_a', stage: 'sign' });
    const text = await metrics.renderMetrics();
    expect(text).toContain('predictd_orders_total{venue="venue_a",state="filled"} 3');
    expect(text).toContain('predictd_ledger_imbalance_usdc 0');
    expect(text).toContain(
      'predictd_order_stage_seconds_bucket{le="0.0005",venue="venue_a",stage="sign"} 1',
    );
  });

  it('are written as OpenMetrics too, without a change to the other format', async () => {
    const metrics = createPromMetrics();
    metrics.count('orders_total', { venue: 'venue_a', state: 'filled' });
    metrics.observe('order_stage_seconds', 0.0004, { venue: 'venue_a', stage: 'sign' });
    const before = await metrics.renderMetrics();
    const lines = (await metrics.renderMetrics('openmetrics')).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE predictd_orders counter',
        'predictd_orders_total{venue="venue_a",state="filled"} 1',
        '# TYPE predictd_order_stage_seconds histogram',
        '# TYPE predictd_ledger_imbalance_usdc gauge',
      ]),
    );
    expect([lines.filter((line) => line === '').length, lines.slice(-2)]).toEqual([
      1,
      ['# EOF', ''],
    ]);
    const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(
      samples.filter(
        (line) =>
          !/^[a-z_]+(\{([a-z_]+="([^"\\]|\\.)*",?)+\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/.test(line),
      ),
    ).toEqual([]);
    expect(await metrics.renderMetrics()).toBe(before);
  });

  it('of the process and of Node stand beside them under their usual names, where the process is asked for', async () => {
    const [text, alone] = [
      await createPromMetrics({ isOfProcess: true }).renderMetrics(),
      await createPromMetrics().renderMetrics(),
    ];
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect([name, text.includes(`\n${name} `), alone.includes(name)]).toEqual([
        name,
        true,
        false,
      ]);
  });

  it('that are set before a reading show what is known then', async () => {
    const metrics = createPromMetrics();
    let open = 2;
    metrics.beforeRead(() => metrics.gauge('sockets_open', open));
    const first = await metrics.renderMetrics();
    open = 3;
    expect([first, await metrics.renderMetrics()]).toEqual([
      expect.stringContaining('predictd_sockets_open 2'),
      expect.stringContaining('predictd_sockets_open 3'),
    ]);
  });

  it('of a fixed set all stand at zero from the start, those by venue once for each venue', async () => {
    const text = await createPromMetrics({ venues: ['venue_a', 'venue_b'] }).renderMetrics();
    const begun = (name: string) =>
      [...text.matchAll(new RegExp(`^predictd_${name}\\{.*\\} 0$`, 'gm'))].length;
    expect({
      states: begun('orders_total'),
      foreign: begun('foreign_orders_total'),
      incidents: begun('book_incidents_total'),
      shed: begun('http_shed_total'),
      decisions: begun('decisions_total'),
    }).toEqual({
      states: 22,
      foreign: 2,
      incidents: 14,
      shed: 20,
      decisions: 24 + 6 * (DECISION_REASONS.length - 1),
    });
    // What is left are sets that only its sources know: a venue's own words, and other metrics.
    const open = Object.entries<MetricSpec>(METRICS)
      .filter(([, { kind, labels, series }]) => kind === 'counter' && labels.length > 0 && !series)
      .map(([name]) => name);
    expect(open.sort()).toEqual([
      'metric_series_dropped_total',
      'venue_book_hashes_total',
      'venue_calls_total',
      'venue_dropped_total',
      'venue_markets_refused_total',
      'venue_refusals_total',
      'venue_sponsored_lamports_total',
      'view_calls_total',
    ]);
  });

  it('say in a sentence what each of them counts', () => {
    expect(
      Object.entries<MetricSpec>(METRICS)
        .filter(([, { help }]) => !/^[A-Z0-9].{18,}\.$/.test(help))
        .map(([name]) => name),
    ).toEqual([]);
  });

  it('are exported, labels at zero included, in words of operators and not of the code', () => {
    const texts = Object.entries<MetricSpec>(METRICS).map(
      ([name, { help, labels, series = [] }]) =>
        `${name}: ${help} ${labels.join()} ${JSON.stringify(series)}`,
    );
    expect(texts.filter((text) => /\b(?:house|gone|twin|shelf|door|desk)\b/.test(text))).toEqual(
      [],
    );
  });

  it('time with a stopwatch in seconds', async () => {
    const metrics = createPromMetrics();
    metrics.startTimer('store_commit_seconds')();
    expect(await metrics.renderMetrics()).toContain('predictd_store_commit_seconds_count 1');
  });

  it.each<[string, (metrics: PromMetrics) => void]>([
    ['an unknown name', (metrics) => metrics.count('nothing_total')],
    [
      'another kind',
      (metrics) => metrics.gauge('orders_total', 1, { venue: 'venue_a', state: 'live' }),
    ],
    ['a missing label', (metrics) => metrics.count('orders_total')],
    [
      'an unknown label',
      (metrics) =>
        metrics.count('orders_total', { venue: 'venue_a', state: 'live', user: 'usr_1' }),
    ],
  ])('refuse %s, a programmer’s error', (_, use) => {
    expect(() => use(createPromMetrics())).toThrow('invariant broken');
  });

  it('stay bounded when a label takes any value, and count what they leave out', async () => {
    const metrics = createPromMetrics();
    for (let index = 0; index < 1_000; index += 1)
      metrics.count('feed_dropped_total', { feed: 'oracle', reason: `odd ${index}` });
    const text = await metrics.renderMetrics();
    expect(text.match(/predictd_feed_dropped_total\{/g)).toHaveLength(256);
    expect(text).toContain('predictd_metric_series_dropped_total{metric="feed_dropped_total"} 748');
  });

  it('do not know each other: two services in one process count apart', async () => {
    const first = createPromMetrics();
    first.count('order_ends_unasked_total');
    expect(await createPromMetrics().renderMetrics()).toContain(
      'predictd_order_ends_unasked_total 0',
    );
  });
});

it('declares every metric the sources use, and each name ends in its unit', () => {
  const root = new URL('../../../', import.meta.url).pathname;
  const sources = ['src', 'machines', 'streams'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
  const used = sources.flatMap((source) =>
    [...source.matchAll(/metrics\s*\.(?:count|gauge|observe|startTimer)\(\s*'([^']+)'/g)].map(
      (match) => match[1],
    ),
  );
  expect([...new Set(used)].filter((name) => name !== undefined && !(name in METRICS))).toEqual([]);
  Object.keys(METRICS).forEach((name) =>
    expect(name).toMatch(
      /_(total|failed|seconds|bytes|info|state|open|watched|trusted|users|to_rewrap|degraded|unproven|stopped|messages|usdc|lamports|ratio|enrolments|silent|in_flight|subscriptions|active|gap|epoch|held|frames|standbys)$/,
    ),
  );
});
