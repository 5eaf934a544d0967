import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { assert } from '../../domain/errors.ts';
import type { Exemplars, Labels, Metrics, MetricsFormat } from '../../ports/metrics.ts';
import { METRICS } from './metric-table.ts';
import type { MetricSpec } from './metric-spec.ts';
import { ExemplarTable } from './exemplars.ts';
import { toOpenMetrics } from './openmetrics.ts';

/**
 * Label values come from small fixed sets; a metric beyond this many combinations has met one that
 * is not.
 */
const SERIES_MAXIMUM = 256;
const PREFIX = 'predictd_';
const DROPPED = 'metric_series_dropped_total';
/**
 * Gauges that prom-client names like counters, which every check of names refuses; the same figures
 * by type stand beside them.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The metrics, and their text. */
export interface PromMetrics extends Metrics, Exemplars {
  /** All metrics as text, in the format asked for. */
  renderMetrics(format?: MetricsFormat): Promise<string>;
  /** Some of the table's, and those of process and Node: what a process that waits does. */
  renderSome(names: readonly string[]): Promise<string>;
}

/** A declared metric with its native object and the label combinations seen. */
interface Declared {
  readonly name: string;
  readonly spec: MetricSpec;
  readonly native: Counter | Gauge | Histogram;
  readonly seen: Set<string>;
}

/**
 * Makes the metrics of the table with prom-client, in a registry of their own, names prefixed
 * `predictd_`. With `isOfProcess` those of process and Node stand beside them, under the names
 * every Node service gives them (`process_…`, `nodejs_…`), which ready dashboards read. A name,
 * kind or label the table does not declare is a programmer's error. A metric that meets too many
 * label values drops the new ones and counts them: memory stays bounded whatever the outside sends.
 * Series of a fixed set that are counted by venue begin at zero for each of `venues`. `only` names
 * those that are shown of the table: a zero of what a process does not do would be a lie.
 */
export function createPromMetrics({
  isOfProcess = false,
  venues = [],
  only,
}: {
  readonly isOfProcess?: boolean;
  readonly only?: readonly string[];
  readonly venues?: readonly string[];
} = {}): PromMetrics {
  const registry = new Registry();
  if (isOfProcess) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  const declared = new Map<string, Declared>(
    Object.entries<MetricSpec>(METRICS)
      .filter(([name]) => only?.includes(name) !== false)
      .map(([name, spec]) => [
        name,
        declare(name, { ...spec, series: begunSeries(spec, venues) }, registry),
      ]),
  );
  const dropped = declared.get(DROPPED)?.native;
  for (const { name, spec } of declared.values())
    if (dropped instanceof Counter && spec.labels.length > 0 && name !== DROPPED)
      dropped.inc({ metric: name }, 0);

  function find(name: string, kind: MetricSpec['kind'], labels: Labels): Declared | null {
    const metric = declared.get(name);
    assert(metric !== undefined, `metric ${name} is in the table`);
    assert(metric.spec.kind === kind, `metric ${name} is a ${metric.spec.kind}, not a ${kind}`);
    const names = Object.keys(labels);
    const fits =
      names.length === metric.spec.labels.length &&
      metric.spec.labels.every((label) => labels[label] !== undefined);
    assert(
      fits,
      `metric ${name} has the labels ${metric.spec.labels.join(', ') || 'none'}, not ${names.join(', ') || 'none'}`,
    );
    return isKnownSeries(metric, labels) ? metric : null;
  }

  function isKnownSeries(metric: Declared, labels: Labels): boolean {
    if (metric.spec.labels.length === 0) return true;
    const series = seriesOf(metric.spec, labels);
    if (metric.seen.has(series)) return true;
    if (metric.seen.size < (metric.spec.seriesMaximum ?? SERIES_MAXIMUM)) {
      metric.seen.add(series);
      return true;
    }
    if (dropped instanceof Counter) dropped.inc({ metric: metric.name });
    return false;
  }

  const beforeRead: (() => void)[] = [];
  const exemplars = new ExemplarTable();

  const metrics: Metrics = {
    beforeRead: (set) => void beforeRead.push(set),
    count(name, labels = {}, by = 1) {
      const native = find(name, 'counter', labels)?.native;
      if (native instanceof Counter) native.inc({ ...labels }, by);
    },
    gauge(name, value, labels = {}) {
      const native = find(name, 'gauge', labels)?.native;
      if (native instanceof Gauge) native.set({ ...labels }, value);
    },
    observe(name, value, labels = {}) {
      const native = find(name, 'histogram', labels)?.native;
      if (native instanceof Histogram) native.observe({ ...labels }, value);
    },
    startTimer(name, labels = {}) {
      const startedMs = performance.now();
      return (more = {}) =>
        metrics.observe(name, (performance.now() - startedMs) / 1_000, { ...labels, ...more });
    },
  };
  return {
    ...metrics,
    exemplar(name, value, { labels, traceId }) {
      const buckets = find(name, 'histogram', labels)?.spec.buckets;
      if (buckets !== undefined)
        exemplars.put(
          `${PREFIX}${name}`,
          { traceId, value, atMs: Date.now() },
          { labels, buckets },
        );
    },
    async renderMetrics(format = 'prometheus') {
      for (const set of beforeRead) set();
      const text = await registry.metrics();
      return format === 'openmetrics'
        ? toOpenMetrics(text, (line) => exemplars.beside(line))
        : text;
    },
    async renderSome(names) {
      for (const set of beforeRead) set();
      const shown = registry
        .getMetricsAsArray()
        .map(({ name }) => name)
        .filter((name) => !name.startsWith(PREFIX) || names.includes(name.slice(PREFIX.length)));
      const texts = await Promise.all(shown.map((name) => registry.getSingleMetricAsString(name)));
      return `${texts.join('\n\n')}\n`;
    },
  };
}

function declare(name: string, spec: MetricSpec, registry: Registry): Declared {
  const options = {
    name: `${PREFIX}${name}`,
    help: spec.help,
    labelNames: spec.labels,
    registers: [registry],
  };
  const native =
    spec.kind === 'counter'
      ? new Counter(options)
      : spec.kind === 'gauge'
        ? new Gauge(options)
        : new Histogram({ ...options, buckets: [...(spec.buckets ?? [])] });
  for (const labels of spec.series ?? [])
    if (native instanceof Counter) native.inc({ ...labels }, 0);
  return {
    name,
    spec,
    native,
    seen: new Set((spec.series ?? []).map((labels) => seriesOf(spec, labels))),
  };
}

/** Returns the series that begin at zero, those by venue once for each. */
function begunSeries(
  { labels, series = [] }: MetricSpec,
  venues: readonly string[],
): NonNullable<MetricSpec['series']> {
  return series.flatMap((one) =>
    labels.includes('venue') && one.venue === undefined
      ? venues.map((venue) => ({ venue, ...one }))
      : [one],
  );
}

function seriesOf(spec: MetricSpec, labels: Labels): string {
  return spec.labels.map((label) => labels[label]).join('\n');
}
