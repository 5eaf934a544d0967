import { anchorOf, RUNBOOK } from './runbook.ts';

/** What is promised to users: the share of bad over a window, and how much of it is allowed. */
export interface Objective {
  /** As in `predictd:<key>:error_ratio_5m`. */
  readonly key: string;
  /** As in `Predictd<Name>BurnsFast`. */
  readonly name: string;
  /** What of the service it is about, as alerts say it. */
  readonly area: 'trading' | 'data' | 'service';
  /** The promise in a sentence. */
  readonly words: string;
  /** Bad of all over a window; no sample where there is nothing to judge. */
  readonly ratio: (window: string) => string;
  /** Share of bad that is allowed. */
  readonly budget: number;
}

const STAGE = 'predictd_order_stage_seconds';
const HTTP = 'predictd_http_request_duration_seconds_count';
/** What operators ask, and what no endpoint took. */
const CALLS = 'route!~"/metrics|/readyz|/healthz|none"';

/** What is promised (operators.md, section 6). */
export const PROMISES: readonly Objective[] = [
  {
    key: 'order_ack',
    name: 'OrderAck',
    area: 'trading',
    words: '99.5 % of the orders that are sent are answered within 2.5 s',
    budget: 0.005,
    ratio: (w) =>
      `1 - sum(rate(${STAGE}_bucket{stage="ack",le="2.5"}[${w}])) / (sum(rate(${STAGE}_count{stage="ack"}[${w}])) > 0)`,
  },
  {
    key: 'book_fresh',
    name: 'BookFresh',
    area: 'data',
    words: '99 % of the books that are watched may be traded on',
    budget: 0.01,
    ratio: (w) =>
      `1 - sum(avg_over_time(predictd_books_trusted[${w}])) / (sum(avg_over_time(predictd_books_watched[${w}])) > 0)`,
  },
  {
    key: 'api',
    name: 'Api',
    area: 'service',
    words: '99.9 % of the calls are answered without an error of the service',
    budget: 0.001,
    ratio: (w) =>
      `(sum(rate(${HTTP}{${CALLS},status=~"5.."}[${w}])) or 0 * sum(rate(${HTTP}{${CALLS}}[${w}]))) / (sum(rate(${HTTP}{${CALLS}}[${w}])) > 0)`,
  },
];

/** Windows that are recorded; Prometheus must keep more than the longest. */
const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Window = (typeof WINDOWS)[number];

/** Two windows, of which both must burn so many times the budget. */
type Pair = readonly [long: Window, short: Window, times: number];
/** A month's budget would be gone in two days, or in five. */
const FAST: readonly Pair[] = [
  ['1h', '5m', 14.4],
  ['6h', '30m', 6],
];
/** In ten days, or by the end of the month. */
const SLOW: readonly Pair[] = [
  ['1d', '2h', 3],
  ['3d', '6h', 1],
];

/** Returns the file of the rules. */
export function sloRules(): string {
  return `# What is promised, and how fast its budget is used up. Written by test/grafana/write.ts from test/alerts/slo-rules.ts.
# The value of an alert is the long window's of the pair that fires.
groups:
${PROMISES.map(groupOf).join('\n')}`;
}

function groupOf(promise: Objective): string {
  const { key, ratio } = promise;
  const records = WINDOWS.map(
    (window) => `      - record: ${recordOf(key, window)}\n        expr: ${ratio(window)}`,
  );
  return `  - name: predictd.slo.${key}
    rules:
${records.join('\n')}
${alertOf(promise, 'Fast')}
${alertOf(promise, 'Slowly')}
`;
}

function alertOf({ key, name, area, words, budget }: Objective, pace: 'Fast' | 'Slowly'): string {
  const alert = `Predictd${name}Burns${pace}`;
  const burns = (window: Window, times: number) =>
    `${recordOf(key, window)} > ${Number((times * budget).toFixed(6))}`;
  const expr = (pace === 'Fast' ? FAST : SLOW)
    .map(([long, short, times]) => `(${burns(long, times)} and ${burns(short, times)})`)
    .join(' or ');
  return `      - alert: ${alert}
        expr: ${expr}
        for: ${pace === 'Fast' ? '2m' : '15m'}
        labels: { severity: ${pace === 'Fast' ? 'critical' : 'warning'}, area: ${area}, step: 'Open the alert beside it that says the cause' }
        annotations:
          summary: 'Broken in {{ $value | humanizePercentage }} of the cases: ${words}'
          description: '${
            pace === 'Fast'
              ? 'At this pace the budget of a month is gone within days.'
              : 'At this pace the budget of a month does not last for it.'
          }'
          runbook_url: '${RUNBOOK}#${anchorOf(alert)}'`;
}

/** Returns the names of all series that the rules record. */
export function recordedSeries(): readonly string[] {
  return PROMISES.flatMap(({ key }) => WINDOWS.map((window) => recordOf(key, window)));
}

function recordOf(key: string, window: Window): string {
  return `predictd:${key}:error_ratio_${window}`;
}
