import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { beginCounts } from '../../src/venues/venue-a/figures.ts';
import { sharedData } from '../support/recordings/shared-data.ts';
import { ROWS } from '../survival/rows.ts';
import { BOARDS } from '../grafana/boards/table.ts';
import { hasPromtool, promtool } from './promtool.ts';
import { VENUE_B_ROW_ALERTS } from './row-alerts-venue-b.ts';
import { VENUE_C_ROW_ALERTS } from './row-alerts-venue-c.ts';
import { SERVICE_ALERTS, ROW_ALERTS } from './row-alerts.ts';
import { PROMETHEUS_FOLDER, RULES_FILE, SLO_RULES_FILE, statedAlerts } from './rules-file.ts';
import { anchorOf, RUNBOOK, withRunbookUrls } from './runbook.ts';
import { PROMISES, sloRules } from './slo-rules.ts';

/** All sources of a folder as one text. */
function sourcesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
    .join('\n');
}

/** Files that the runbook names: written as events are. */
const FILES: ReadonlySet<string> = new Set(['predictd.log', 'data.mdb']);

/** What is handed to the log with each event, as the sources write it, by event. */
function loggedLines(sources: string): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  for (const [, call = ''] of sources.matchAll(
    /\blog(?:\.(?:debug|info|warn|error)|\[[^\]]*\])\(((?:(?!\blog\.(?:debug|info|warn|error)\()[^;])*)/g,
  ))
    for (const [, event = ''] of call.matchAll(/'([a-z_]+\.[a-z_]+)'/g))
      calls.set(event, `${calls.get(event) ?? ''}\n${call}`);
  return calls;
}

const alerts = statedAlerts();
const names = alerts.map(({ name }) => name);
const raised = Object.values(ROW_ALERTS).flatMap((row) => ('alert' in row ? [row.alert] : []));
const survivalTable = sharedData('reference/survival.md');
const canJudge = hasPromtool();

describe('the alert rules', () => {
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

  it('each begin with Predictd and have a severity, an area, the first step in a few words, a summary and a description', () => {
    const wanting = alerts.filter(
      ({ name, text }) =>
        !/^Predictd[A-Z]/.test(name) ||
        !/severity: (critical|warning|info|none), area: (money|transfers|trading|data|service), step: '[A-Z].{8,47}' /.test(
          text,
        ) ||
        !/summary: '/.test(text) ||
        !/description: '/.test(text),
    );
    expect(wanting.map(({ name }) => name)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('each link a paragraph of the runbook, which says what it means, who is hurt, what to read, what to do and what never', () => {
    const rules = readFileSync(RULES_FILE, 'utf8');
    expect(withRunbookUrls(rules)).toBe(rules);
    const runbook = readFileSync(new URL(`../../${RUNBOOK}`, import.meta.url), 'utf8');
    const paragraphs = new Map(
      runbook
        .split(/^### /m)
        .slice(1)
        .map((part) => [anchorOf(/^\w+/.exec(part)?.[0] ?? ''), part] as const),
    );
    const links = alerts.map(({ text }) => /runbook_url: '([^#']*)#([^']*)'/.exec(text));
    expect(links.filter((link) => link?.[1] !== RUNBOOK)).toEqual([]);
    expect(links.map((link) => link?.[2]).toSorted()).toEqual([...paragraphs.keys()].toSorted());
    const parts = ['What it means:', 'Who is hurt:', 'Check:', 'Do:', 'Never:'];
    const severity = (name: string) =>
      /severity: (\w+)/.exec(alerts.find((alert) => alert.name === name)?.text ?? '')?.[1];
    const wanting = names.filter((name) => {
      const paragraph = paragraphs.get(anchorOf(name)) ?? '';
      return (
        !paragraph.includes(`*${severity(name)}.*`) ||
        parts.some((part) => !new RegExp(`\\*\\*${part}\\*\\* \\S.{10,}`).test(paragraph))
      );
    });
    expect(wanting).toEqual([]);
  });

  it('are written about in words of what there is: panels by their titles, on the board they are said to be on', () => {
    const runbook = readFileSync(new URL(`../../${RUNBOOK}`, import.meta.url), 'utf8');
    const [index = '', paragraphs = ''] = runbook.split('\n## Venues and orders');
    const emphasised = (text: string): readonly string[] =>
      [...text.matchAll(/(?<!\*)\*([A-Za-z][^*\n.]+)\*(?!\*)/g)].map(([, name = '']) => name);
    const listed = new Set<string>();
    const wrong = BOARDS.flatMap(({ uid, rows }) => {
      const line =
        index.split('\n').find((row) => row.includes(`/${uid.replace('predictd-', '')}.json`)) ??
        '';
      const titles = rows.flatMap(({ panels }) => panels.map((panel) => panel.title));
      return emphasised(line).filter((name) => {
        listed.add(name);
        return !titles.some((title) => title.split(/[,:] /)[0] === name || title === name);
      });
    });
    expect(wrong).toEqual([]);
    expect(
      emphasised(paragraphs).filter((name) => !/^(Fast|Slowly)$/.test(name) && !listed.has(name)),
    ).toEqual([]);
  });

  it('are written about by lines that are logged, each with the fields it is said to have', () => {
    const runbook = readFileSync(new URL(`../../${RUNBOOK}`, import.meta.url), 'utf8');
    const logged = loggedLines(sourcesOf('src'));
    const named = [
      ...runbook.matchAll(/`([a-z_]+\.[a-z_]+)`(?: \(((?:[^()]*`\w+`)+[^()]*)\))?/g),
    ].map(([, event = '', fields = '']) => ({
      event,
      fields: [...fields.matchAll(/`([a-z]\w*)`(?: `\w+`)?/g)].map(([, field = '']) => field),
    }));
    const lines = named.filter(({ event }) => !FILES.has(event));
    expect(lines.length).toBeGreaterThan(30);
    expect(
      lines.filter(({ event, fields }) => {
        const calls = logged.get(event) ?? '';
        return calls === '' || fields.some((field) => !new RegExp(`\\b${field}\\b`).test(calls));
      }),
    ).toEqual([]);
  });

  it('of promises are what the table of promises gives: windows recorded, two paces of alerts each', () => {
    expect(readFileSync(SLO_RULES_FILE, 'utf8')).toBe(sloRules());
    expect(names.filter((name) => /Burns(?:Fast|Slowly)$/.test(name))).toEqual(
      PROMISES.flatMap(({ name }) => [`Predictd${name}BurnsFast`, `Predictd${name}BurnsSlowly`]),
    );
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
    const ours = Object.keys(ROW_ALERTS).filter(
      (name) => !(name in VENUE_B_ROW_ALERTS || name in VENUE_C_ROW_ALERTS),
    );
    expect(ours.sort()).toEqual([...rows].sort());
  });
});

describe.skipIf(!canJudge)('promtool', () => {
  it('accepts the configuration and the rules', () => {
    const { succeeded, output } = promtool(
      'check',
      'config',
      join(PROMETHEUS_FOLDER, 'prometheus.yml'),
    );
    const found = [...output.matchAll(/(\d+) rules found/g)].map(([, count]) => Number(count));
    const records = readFileSync(SLO_RULES_FILE, 'utf8').match(/- record: /g) ?? [];
    expect([succeeded, found.reduce((sum, count) => sum + count, 0)]).toEqual([
      true,
      names.length + records.length,
    ]);
  });

  it.each(readdirSync(join(PROMETHEUS_FOLDER, 'tests')))('finds the rules right by %s', (file) => {
    expect(promtool('test', 'rules', join(PROMETHEUS_FOLDER, 'tests', file))).toMatchObject({
      succeeded: true,
    });
  });
});
