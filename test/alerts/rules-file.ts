import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One alert as the rules file states it. */
export interface StatedAlert {
  readonly name: string;
  readonly expression: string;
  /** Lines below the expression, to search for severity and words. */
  readonly text: string;
}

/** Folder of the Prometheus configuration. */
export const PROMETHEUS_FOLDER = fileURLToPath(
  new URL('../../config/prometheus/', import.meta.url),
);
/** The rules. */
export const RULES_FILE = `${PROMETHEUS_FOLDER}rules/predictd.yml`;
/** Promises and how fast their budgets are used up. */
export const SLO_RULES_FILE = `${PROMETHEUS_FOLDER}rules/slo.yml`;

/** Reads the alerts out of the rules, whose every expression is on one line. */
export function statedAlerts(): readonly StatedAlert[] {
  const blocks = [RULES_FILE, SLO_RULES_FILE].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split(/^ +- alert: /m)
      .slice(1),
  );
  return blocks.map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    expression: /^ +expr: (.+)$/m.exec(text)?.[1] ?? '',
    text,
  }));
}

/** Names of our series in an expression, without our prefix. */
export function seriesOf(expression: string): readonly string[] {
  return [...expression.matchAll(/\bpredictd_(\w+)/g)].map((match) => match[1] ?? '');
}
