import type { MetricSpec } from '../../src/adapters/metrics/metric-spec.ts';
import { METRICS } from '../../src/adapters/metrics/metric-table.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { recordedSeries } from '../alerts/slo-rules.ts';
import { readQuery } from './promql.ts';

/** Labels of each series that a Prometheus beside the service has, by its name. */
export type KnownSeries = ReadonlyMap<string, readonly string[]>;

/** What Prometheus adds to each series it scrapes. */
const TARGET = ['job', 'instance'];
const ALERT = ['alertname', 'alertstate', 'severity', 'area', 'step', 'venue', ...TARGET];
const PREFIX = 'predictd_';

/** Reads what the metrics themselves export, the process and Node among it. */
export async function knownSeries(): Promise<KnownSeries> {
  const known = new Map<string, readonly string[]>([
    ['up', TARGET],
    ['ALERTS', ALERT],
    ['ALERTS_FOR_STATE', ALERT],
    // A recorded sum has no label but its name.
    ...recordedSeries().map((name) => [name, []] as const),
  ]);
  const text = await createPromMetrics({ isOfProcess: true }).renderMetrics();
  for (const [, name = '', kind = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const spec = Object.entries<MetricSpec>(METRICS).find(
      ([own]) => `${PREFIX}${own}` === name,
    )?.[1];
    // Of Node's own metrics one has a label a panel groups by.
    const labels = [...(spec?.labels ?? ['kind']), ...TARGET];
    if (kind !== 'histogram') known.set(name, labels);
    else {
      known.set(`${name}_bucket`, [...labels, 'le']);
      for (const part of ['_sum', '_count']) known.set(`${name}${part}`, labels);
    }
  }
  return known;
}

/** Says what is wrong with a query: no PromQL, or a series or label that does not exist. */
export function faultsOf(expr: string, known: KnownSeries, legend = ''): readonly string[] {
  const { fault, series, groupings, made } = readQuery(expr);
  const labels = new Set([...series.flatMap(({ name }) => known.get(name) ?? []), ...made]);
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  return [
    ...(fault === null ? [] : [`no PromQL ${fault}`]),
    ...series.flatMap(({ name, labels: selected }) => {
      const has = known.get(name);
      if (has === undefined) return [`no series ${name}`];
      return selected
        .filter((label) => !has.includes(label))
        .map((label) => `no label ${label} of ${name}`);
    }),
    ...[...groupings, ...shown]
      .filter((label) => !labels.has(label))
      .map((label) => `no label ${label} in any of its series`),
  ];
}
