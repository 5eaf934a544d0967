// Draws a dashboard as Grafana would, from its own JSON and a Prometheus, without Grafana:
//   node --import ./test/support/typescript-loader.mjs test/grafana/draw.ts
//     <address of Prometheus> <dashboard> <minutes> <file.html>
// A browser makes a picture of the page.
import { readFileSync, writeFileSync } from 'node:fs';
import * as echarts from 'echarts';
import { GRAFANA_FOLDER } from './dashboard-files.ts';
import { formatOf } from './format.ts';

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

interface Mapping {
  readonly type: 'value' | 'range';
  readonly options: Readonly<Record<string, unknown>>;
}

interface DrawnPanel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly options?: { readonly textMode?: string };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit: string;
      readonly noValue: string;
      readonly mappings?: readonly Mapping[];
      readonly thresholds: { readonly steps: readonly { value: number | null; color: string }[] };
    };
    readonly overrides?: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
}

interface Series {
  readonly refId: string;
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

const [prometheus = '', uid = '', minutes = '60', file = ''] = process.argv.slice(2);
const [COLUMN, ROW, GAP] = [50, 34, 6];
const COLOURS: Readonly<Record<string, string>> = {
  green: '#2f8132',
  orange: '#d97706',
  red: '#c4162a',
};
const endS = Math.floor(Date.now() / 1_000);
const startS = endS - Number(minutes) * 60;
const stepS = Math.max(5, Math.ceil((endS - startS) / 240));

function queryOf(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', `${Math.max(60, 4 * stepS)}s`)
    .replaceAll('$venue', '.*')
    .replaceAll('$agent', '.*');
}

async function ask(
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly Sample[]> {
  const answer = await fetch(
    `${prometheus}/api/v1/${path}?${new URLSearchParams(query).toString()}`,
  );
  // What Prometheus answers is read for a picture alone.
  const { data } = (await answer.json()) as { data?: { result: readonly Sample[] } };
  return data?.result ?? [];
}

async function seriesOf({ type, targets = [] }: DrawnPanel): Promise<readonly Series[]> {
  const found: Series[] = [];
  for (const { refId, expr, legendFormat } of targets) {
    const query = queryOf(expr);
    const samples =
      type === 'stat'
        ? await ask('query', { query, time: String(endS) })
        : await ask('query_range', {
            query,
            start: String(startS),
            end: String(endS),
            step: String(stepS),
          });
    for (const { metric, value, values = value === undefined ? [] : [value] } of samples)
      found.push({
        refId,
        name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
        points: values.map(([atS, text]) => [atS * 1_000, Number(text)] as const),
      });
  }
  return found;
}

function mapped(
  value: number,
  mappings: readonly Mapping[],
): { text: string; color: string } | null {
  for (const { type, options } of mappings) {
    const found = type === 'value' ? options[String(value)] : options['result'];
    const [from, to] = [
      Number(options['from']),
      options['to'] === null ? Infinity : Number(options['to']),
    ];
    if (found !== undefined && (type === 'value' || (value >= from && value <= to)))
      return found as { text: string; color: string };
  }
  return null;
}

function figures(panel: DrawnPanel, series: readonly Series[]): string {
  const { defaults, overrides = [] } = panel.fieldConfig;
  const { noValue, thresholds, mappings = [] } = defaults;
  const shown = series.map(({ refId, name, points }) => {
    const own = overrides.find(({ matcher }) => matcher.options === refId)?.properties ?? [];
    const unit = String(own.find(({ id }) => id === 'unit')?.value ?? defaults.unit);
    const fixed = Object(own.find(({ id }) => id === 'color')?.value).fixedColor;
    const value = points.at(-1)?.[1] ?? Number.NaN;
    if (Number.isNaN(value)) return { name, text: noValue, colour: '#666' };
    const word = mapped(value, mappings);
    const step = thresholds.steps.findLast((one) => one.value === null || value >= one.value);
    return {
      name,
      text: word?.text ?? formatOf(unit)(value),
      colour: COLOURS[word?.color ?? fixed ?? step?.color ?? 'green'] ?? '#222',
    };
  });
  if (shown.length === 0) return `<div class="none">${noValue}</div>`;
  if (panel.options?.textMode === 'value_and_name')
    return `<div class="list">${shown
      .map(({ name, text, colour }) => `<div><b style="color:${colour}">${text}</b> ${name}</div>`)
      .join('')}</div>`;
  const longest = Math.max(4, ...shown.map(({ text }) => text.length));
  const size = Math.min(28, (panel.gridPos.w * COLUMN) / (longest * shown.length * 0.82));
  return `<div class="figures">${shown
    .map(
      ({ name, text, colour }) =>
        `<div><b style="color:${colour};font-size:${size}px">${text}</b><i>${name}</i></div>`,
    )
    .join('')}</div>`;
}

function chart(
  panel: DrawnPanel,
  series: readonly Series[],
  width: number,
  height: number,
): string {
  const { unit, noValue, thresholds } = panel.fieldConfig.defaults;
  const shown = series.filter(({ points }) => points.some(([, value]) => !Number.isNaN(value)));
  if (shown.length === 0) return `<div class="none">${noValue}</div>`;
  const isTimeline = panel.type === 'state-timeline';
  const format = formatOf(unit);
  const top = Math.max(
    ...shown.flatMap(({ points }) =>
      points.map(([, value]) => (Number.isFinite(value) ? value : 0)),
    ),
  );
  const limit = thresholds.steps.at(-1)?.value ?? null;
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  drawing.setOption({
    animation: false,
    useUTC: true,
    color: ['#3274d9', '#e0752d', '#37872d', '#8f3bb8', '#c4162a', '#0d98a3', '#b58900', '#7a7a7a'],
    grid: { left: isTimeline ? 170 : 58, right: 12, top: 8, bottom: isTimeline ? 22 : 42 },
    xAxis: { type: 'time', min: startS * 1_000, max: endS * 1_000, axisLabel: { fontSize: 10 } },
    yAxis: isTimeline
      ? { type: 'category', data: shown.map(({ name }) => name), axisLabel: { fontSize: 9 } }
      : { type: 'value', axisLabel: { formatter: format, fontSize: 10 }, splitNumber: 3 },
    legend: isTimeline
      ? { show: false }
      : { bottom: 0, type: 'scroll', itemWidth: 10, itemHeight: 6, textStyle: { fontSize: 10 } },
    series: shown.map(({ name, points }, index) => ({
      name,
      type: isTimeline ? 'scatter' : 'line',
      symbol: isTimeline ? 'rect' : 'none',
      symbolSize: isTimeline ? [Math.max(3, width / 240), 12] : 4,
      lineStyle: { width: 1.3 },
      data: withGaps(points).map(([atMs, value]) => [
        atMs,
        isTimeline && value !== null ? name : value,
      ]),
      ...(index === 0 && !isTimeline && limit !== null && limit <= top * 1.5
        ? {
            markLine: {
              silent: true,
              symbol: 'none',
              label: { show: false },
              lineStyle: { color: '#c4162a' },
              data: [{ yAxis: limit }],
            },
          }
        : {}),
    })),
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  return svg;
}

/** A time without a sample is a gap, not a line across it. */
function withGaps(points: Series['points']): readonly (readonly [number, number | null])[] {
  return points.flatMap(([atMs, value], index) => {
    const before = points[index - 1]?.[0];
    const gap: readonly (readonly [number, number | null])[] =
      before !== undefined && atMs - before > stepS * 1_500 ? [[atMs - 1, null]] : [];
    return [...gap, [atMs, Number.isFinite(value) ? value : null] as const];
  });
}

// Its own JSON, of the shape that dashboard.ts writes.
const board = JSON.parse(readFileSync(`${GRAFANA_FOLDER}dashboards/${uid}.json`, 'utf8')) as {
  readonly title: string;
  readonly panels: readonly DrawnPanel[];
};
const boxes: string[] = [];
let height = 0;
for (const panel of board.panels) {
  const { x, y, w, h } = panel.gridPos;
  height = Math.max(height, (y + h) * ROW + 60);
  const [width, tall] = [w * COLUMN - GAP, h * ROW - GAP];
  const place = `left:${x * COLUMN + GAP}px;top:${y * ROW + 50}px;width:${width}px;height:${tall}px`;
  if (panel.type === 'row') {
    boxes.push(`<h2 style="${place}">${panel.title}</h2>`);
    continue;
  }
  const series = await seriesOf(panel);
  const inside =
    panel.type === 'stat' ? figures(panel, series) : chart(panel, series, width - 12, tall - 26);
  boxes.push(`<section style="${place}"><h3>${panel.title}</h3>${inside}</section>`);
}
const time = (atS: number) => new Date(atS * 1_000).toISOString().slice(11, 16);
writeFileSync(
  file,
  `<!doctype html><meta charset="utf-8"><style>
body{margin:0;width:${24 * COLUMN + GAP * 2}px;height:${height}px;background:#f4f5f8;font-family:'DejaVu Sans',sans-serif;position:relative}
h1{position:absolute;left:12px;top:10px;margin:0;font-size:18px}h1 small{font-weight:400;color:#666;font-size:12px}
h2{position:absolute;margin:0;font-size:14px;line-height:30px}
section{position:absolute;background:#fff;border:1px solid #dde0e7;box-sizing:border-box;padding:4px 6px;overflow:hidden}
h3{margin:0 0 2px;font-size:11px;line-height:16px}
.figures{display:flex;height:calc(100% - 20px);align-items:center;justify-content:space-around;text-align:center}
.figures b{display:block;white-space:nowrap}.figures i{font-style:normal;font-size:10px;color:#666}
.list{font-size:13px;line-height:21px;overflow:hidden}.list b{display:inline-block;min-width:64px}
.none{display:flex;height:calc(100% - 20px);align-items:center;justify-content:center;color:#666;font-size:13px}
</style><h1>${board.title} <small>${time(startS)} to ${time(endS)} UTC</small></h1>${boxes.join('\n')}`,
);
console.log(`${24 * COLUMN + GAP * 2},${height}`);
