import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtool } from './promtool.ts';
import { RULES_FILE, seriesOf, statedAlerts } from './rules-file.ts';

/** Scrapes of one daemon, a fixed time apart, as Prometheus would have kept them. */
export interface Scrapes {
  /** Takes one scrape in: /metrics as it is; null when nothing answered. */
  take(text: string | null): void;
  /**
   * Has the real rules judge them: the difference when other alerts fired, at any moment, than
   * these; null when exactly these did, those that are set aside apart.
   */
  differsFrom(alerts: readonly string[], aside?: readonly string[]): string | null;
}

/** Prometheus' own scrape interval in config/prometheus/prometheus.yml. */
export const SCRAPE_MS = 15_000;
const TARGET = 'instance="127.0.0.1:8787",job="predictd"';

/** Keeps what the rules read, and nothing else. */
export function createScrapes(): Scrapes {
  const wanted = new Set(
    statedAlerts()
      .flatMap(({ expression }) => seriesOf(expression))
      .map((name) => `predictd_${name}`),
  );
  const series = new Map<string, string[]>([['up', []]]);
  let count = 0;

  function put(key: string, value: string): void {
    const values = series.get(key) ?? [];
    while (values.length < count) values.push('_');
    values.push(value);
    series.set(key, values);
  }

  return {
    take(text) {
      put('up', text === null ? '0' : '1');
      for (const [, name = '', labels = '', value = ''] of (text ?? '').matchAll(
        /^(\w+)(?:\{(.*)\})? (\S+)$/gm,
      ))
        if (wanted.has(name)) put(`${name}{${labels}`, value);
      count += 1;
      // What a scrape does not show any more, or one that failed, ends there: Prometheus marks it,
      // and looks no further back.
      for (const values of series.values()) while (values.length < count) values.push('stale');
    },
    differsFrom(alerts, aside = []) {
      const inputs = [...series].map(
        ([key, values]) =>
          `      - series: '${named(key)}'\n        values: '${[...values, ...Array.from({ length: count - values.length }, () => '_')].join(' ')}'`,
      );
      const expected =
        alerts.length === 0
          ? ' []'
          : alerts
              .map((name) => `\n          - { labels: '{alertname="${name}"}', value: 1 }`)
              .join('');
      const left = ['PredictdWatchdog', ...aside].join('|');
      const fired = `group by (alertname) (last_over_time(ALERTS{alertstate="firing",alertname!~"${left}"}[1d]))`;
      return judged(
        `rule_files: [${RULES_FILE}]\nevaluation_interval: 15s\ntests:\n  - interval: 15s\n    input_series:\n${inputs.join('\n')}\n    promql_expr_test:\n      - expr: ${fired}\n        eval_time: ${(count * SCRAPE_MS) / 1_000}s\n        exp_samples:${expected}\n`,
      );
    },
  };
}

function named(key: string): string {
  const [name = '', labels = ''] = key.split('{');
  return `${name}{${[labels, TARGET].filter((part) => part !== '').join(',')}}`;
}

function judged(test: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-rules-'));
  try {
    const file = join(folder, 'test.yml');
    writeFileSync(file, test);
    const { succeeded, output } = promtool('test', 'rules', file);
    return succeeded ? null : output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
