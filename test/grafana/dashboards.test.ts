import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../src/adapters/metrics/metric-table.ts';
import { statedAlerts } from '../alerts/rules-file.ts';
import { BOARDS } from './boards/table.ts';
import { dashboardOf } from './dashboard.ts';
import { fileOf, GRAFANA_FOLDER, textOf } from './dashboard-files.ts';
import { faultsOf, knownSeries } from './known-series.ts';
import type { PanelSpec } from './panel.ts';

const panels = BOARDS.flatMap(({ title, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => ({ board: title, panel }))),
);

function wanting(isWanting: (panel: PanelSpec) => boolean): readonly string[] {
  return panels
    .filter(({ panel }) => isWanting(panel))
    .map(({ board, panel }) => `${board}: ${panel.title}`);
}

describe('the dashboards', () => {
  it('in config/grafana are what the table of panels gives, and no others', () => {
    for (const board of BOARDS) expect(readFileSync(fileOf(board), 'utf8')).toBe(textOf(board));
    expect(readdirSync(`${GRAFANA_FOLDER}dashboards`).sort()).toEqual(
      BOARDS.map((board) => fileOf(board).split('/').at(-1)).sort(),
    );
  });

  it('and the alert rules read nothing but series the service exports, each with labels it has', async () => {
    const known = await knownSeries();
    const faults = [
      ...panels.flatMap(({ board, panel }) =>
        panel.queries.flatMap(({ expr, legend }) =>
          faultsOf(expr, known, legend).map((fault) => `${board}, ${panel.title}: ${fault}`),
        ),
      ),
      ...statedAlerts().flatMap(({ name, expression }) =>
        faultsOf(expression, known).map((fault) => `${name}: ${fault}`),
      ),
    ];
    expect(faults).toEqual([]);
    expect(faultsOf('sum by (cause) (rate(predictd_fault_total{kind="x"}[1m])', known)).toEqual([
      expect.stringMatching(/^no PromQL at/),
      'no series predictd_fault_total',
      'no label cause in any of its series',
    ]);
  });

  it('show every metric of the service somewhere', () => {
    const queries = panels.flatMap(({ panel }) => panel.queries.map(({ expr }) => expr)).join('\n');
    expect(Object.keys(METRICS).filter((name) => !queries.includes(`predictd_${name}`))).toEqual([
      'venue_markets_refused_total',
      'venue_sponsored_lamports_total',
      'deposits_dropped_total',
    ]);
  });

  it('have a title, a unit, a description in a sentence, a threshold and words for an empty panel on every panel', () => {
    expect(
      wanting(({ title, description }) => title === '' || !/^[A-Z0-9].{15,}\.$/s.test(description)),
    ).toEqual([]);
    expect(wanting(({ empty }) => empty === '')).toEqual([]);
    expect(
      wanting(
        ({ thresholds: { orange, red, isLow } }) =>
          orange !== undefined && (isLow ? orange <= red : orange >= red),
      ),
    ).toEqual([]);
    for (const { title, rows } of BOARDS) {
      const titles = rows.flatMap((row) => row.panels.map((panel) => panel.title));
      expect([title, new Set(titles).size]).toEqual([title, titles.length]);
    }
  });

  it('read counters as rates over the interval of the screen or a stated one, and name no job', () => {
    const counters = /predictd_\w+_(?:total|count|sum|bucket)\b/;
    const bare = ({ queries }: PanelSpec) =>
      queries.some(({ expr }) =>
        counters.test(expr.replace(/(?:rate|increase)\([^[\]]*\[[^\]]+\]\)/g, '')),
      );
    expect(wanting(bare)).toEqual([]);
    expect(wanting(({ queries }) => queries.some(({ expr }) => /\bjob\s*[=!]/.test(expr)))).toEqual(
      [],
    );
  });

  it('link the paragraph of an alert from every panel', () => {
    const alerts = new Set(statedAlerts().map(({ name }) => name));
    expect(wanting(({ runbook }) => !alerts.has(runbook))).toEqual([]);
  });

  it('fill rows of 24 columns on the first screen, each row answered by its first panel in a word', () => {
    const [overview] = BOARDS;
    const firsts = overview?.rows.map(({ title, panels: [first] }) => [title, first?.title]);
    expect(firsts).toEqual([
      ['Is money safe?', 'Is money safe?'],
      ['Is trading on?', 'Is trading on?'],
      ['What is late?', 'Is anything late?'],
      ['Since when?', 'Firing since'],
    ]);
    // Laid out by the SDK: no panel hangs over the edge.
    const boxes = BOARDS.map((board) => JSON.parse(JSON.stringify(dashboardOf(board)))).flatMap(
      ({ panels: laid }: { panels: readonly { gridPos: { x: number; w: number } }[] }) => laid,
    );
    expect(boxes.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});
