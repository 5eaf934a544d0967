import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../src/adapters/metrics/metric-table.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { beginCounts } from '../../src/venues/venue-a/figures.ts';
import { sharedData } from '../support/recordings/shared-data.ts';
import { ROWS } from '../survival/rows.ts';
import { hasPromtool, promtool } from './promtool.ts';
import { VENUE_B_ROW_ALERTS } from './row-alerts-venue-b.ts';
import { SERVICE_ALERTS, ROW_ALERTS } from './row-alerts.ts';
import { metricsOf, PROMETHEUS_FOLDER, statedAlerts } from './rules-file.ts';

const alerts = statedAlerts();
const names = alerts.map(({ name }) => name);
const raised = Object.values(ROW_ALERTS).flatMap((row) => ('alert' in row ? [row.alert] : []));
const survivalTable = sharedData('reference/survival.md');
const canJudge = hasPromtool();

describe('the alert rules', () => {
  it('read nothing but metrics the daemon exports, each with labels it has', async () => {
    const exported = await createPromMetrics().renderMetrics();
    const read = [...new Set(alerts.flatMap(({ expression }) => metricsOf(expression)))];
    expect(
      read.filter((name) => !(name in METRICS) || !exported.includes(`# TYPE predictd_${name} `)),
    ).toEqual([]);
    const labelled = alerts.flatMap(({ expression }) =>
      [...expression.matchAll(/predictd_(\w+)\{(\w+)[=!]/g)]
        .filter(([, , label]) => label !== 'le')
        .map(([, name = '', label = '']) => ({ name, label })),
    );
    // The names are in the table by the check above.
    expect(
      labelled.filter(
        ({ name, label }) =>
          !(METRICS[name as keyof typeof METRICS].labels as readonly string[]).includes(label),
      ),
    ).toEqual([]);
    expect(labelled.length).toBeGreaterThan(5);
  });

  it('watch the rise of a counter only where its series stand at zero from the start, so that the first one is seen', async () => {
    const metrics = createPromMetrics({ venues: ['venue_a'] });
    // The counts of a venue begin when it is opened.
    beginCounts(metrics);
    const exported = await metrics.renderMetrics();
    const risen = [
      ...new Set(
        alerts.flatMap(({ expression }) =>
          [...expression.matchAll(/increase\(predictd_(\w+)/g)].map((match) => match[1] ?? ''),
        ),
      ),
    ];
    expect(
      risen.filter((name) => !new RegExp(`^predictd_${name}(\\{.*\\})? 0$`, 'm').test(exported)),
    ).toEqual([]);
  });

  it('each have a severity, a summary, a description and words for whoever is called', () => {
    const readme = readFileSync(join(PROMETHEUS_FOLDER, 'README.md'), 'utf8');
    const wanting = alerts.filter(
      ({ name, text }) =>
        !/severity: (critical|warning) /.test(text) ||
        !/summary: '/.test(text) ||
        !/description: '/.test(text) ||
        !text.includes(`runbook: 'config/prometheus/README.md: ${name}'`) ||
        !readme.includes(`| \`${name}\` |`),
    );
    expect(wanting.map(({ name }) => name)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are exactly those that survival rows raise, and those of the service itself', () => {
    expect([...new Set([...raised, ...SERVICE_ALERTS])].sort()).toEqual([...names].sort());
  });

  it('tell each cause apart: no two rows raise the same alert', () => {
    expect(raised.filter((name, index) => raised.indexOf(name) !== index)).toEqual([]);
  });

  it('are decided for every row that has a scenario', () => {
    expect(ROWS.map(({ name }) => name).filter((name) => !(name in ROW_ALERTS))).toEqual([]);
  });

  it.skipIf(survivalTable === null)('are decided for every survival row, and for no other', () => {
    const rows = readFileSync(survivalTable ?? '', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| name '))
      .map((line) => line.split('|')[1]?.trim());
    const ours = Object.keys(ROW_ALERTS).filter((name) => !(name in VENUE_B_ROW_ALERTS));
    expect(ours.sort()).toEqual([...rows].sort());
  });
});

describe.skipIf(!canJudge)('promtool', () => {
  it('accepts the configuration and the rules', () => {
    expect(promtool('check', 'config', join(PROMETHEUS_FOLDER, 'prometheus.yml'))).toEqual({
      succeeded: true,
      output: expect.stringContaining(`${names.length} rules found`),
    });
  });

  it.each(readdirSync(join(PROMETHEUS_FOLDER, 'tests')))('finds the rules right by %s', (file) => {
    expect(promtool('test', 'rules', join(PROMETHEUS_FOLDER, 'tests', file))).toMatchObject({
      succeeded: true,
    });
  });
});
