import { init, type EChartsOption, type SeriesOption } from 'echarts';
import type { Interval } from '../../../domain/evidence/interval.ts';
import type { ReliabilityBin } from '../../../domain/evidence/reliability.ts';

/** Colours that hold apart for most kinds of colour blindness (M. Okabe and K. Ito, 2008). */
export const COLOURS = {
  ours: '#0072b2',
  market: '#d55e00',
  other: '#009e73',
  quiet: '#8a8f98',
} as const;

const FONT = { fontFamily: 'system-ui, sans-serif', fontSize: 12, color: '#333' };

/** One named and coloured row of points. */
export interface Line {
  readonly name: string;
  readonly colour: string;
}

/**
 * Reliability diagrams: what was stated against what came, with 95 percent intervals; the size of a
 * dot tells how many forecasts it holds.
 */
export function reliabilityChart(
  name: string,
  lines: readonly (Line & { readonly bins: readonly ReliabilityBin[] })[],
): string {
  const most = Math.max(1, ...lines.flatMap(({ bins }) => bins.map(({ count }) => count)));
  const series = lines.flatMap(({ name, colour, bins }): SeriesOption[] => [
    errorBars(
      name,
      colour,
      bins.map(({ stated, observed }) => [stated, observed.low, observed.high]),
    ),
    {
      type: 'line',
      name,
      color: colour,
      symbol: 'circle',
      lineStyle: { width: 1.5 },
      symbolSize: (_value: unknown, { dataIndex }: { readonly dataIndex: number }) =>
        4 + 10 * Math.sqrt((bins[dataIndex]?.count ?? 0) / most),
      data: bins.map(({ stated, observed }) => [stated, observed.estimate]),
    },
  ]);
  const diagonal: SeriesOption = {
    type: 'line',
    name: 'perfect',
    color: COLOURS.quiet,
    symbol: 'none',
    lineStyle: { type: 'dashed', width: 1 },
    data: [
      [0, 0],
      [1, 1],
    ],
  };
  return drawn(name, 430, 400, {
    legend: legendOf(lines),
    grid: { left: 58, right: 18, top: 40, bottom: 50 },
    xAxis: shareAxis('stated probability', 28),
    yAxis: shareAxis('came true', 40),
    series: [diagonal, ...series],
  });
}

/** A score by the time left, one line a source. */
export function scoreByTimeChart(
  name: string,
  {
    secondsLeft,
    lines,
    coin,
  }: {
    readonly secondsLeft: readonly number[];
    readonly lines: readonly (Line & { readonly values: readonly (number | null)[] })[];
    readonly coin: number;
  },
): string {
  return drawn(name, 430, 300, {
    legend: legendOf([...lines, { name: 'coin', colour: COLOURS.quiet }]),
    grid: { left: 58, right: 18, top: 40, bottom: 50 },
    xAxis: {
      type: 'category',
      data: secondsLeft.map(String),
      name: 'seconds before the end',
      nameLocation: 'middle',
      nameGap: 28,
      nameTextStyle: FONT,
      axisLabel: FONT,
    },
    yAxis: {
      type: 'value',
      min: 0,
      name: 'Brier score (lower is better)',
      nameLocation: 'middle',
      nameGap: 40,
      nameTextStyle: FONT,
      axisLabel: FONT,
    },
    series: [
      ...lines.map(
        ({ name, colour, values }): SeriesOption => ({
          type: 'line',
          name,
          color: colour,
          symbol: 'circle',
          symbolSize: 6,
          data: values.map((value) => value ?? '-'),
        }),
      ),
      {
        type: 'line',
        name: 'coin',
        color: COLOURS.quiet,
        symbol: 'none',
        lineStyle: { type: 'dashed', width: 1 },
        data: secondsLeft.map(() => coin),
      },
    ],
  });
}

/** Estimates with their intervals, one below the other, and a line at zero. */
export function forestChart(
  name: string,
  {
    axis,
    rows,
  }: { readonly axis: string; readonly rows: readonly (Line & { readonly interval: Interval })[] },
): string {
  const height = 76 + rows.length * 24;
  return drawn(name, 880, height, {
    grid: { left: 270, right: 30, top: 12, bottom: 48 },
    xAxis: {
      type: 'value',
      name: axis,
      nameLocation: 'middle',
      nameGap: 28,
      nameTextStyle: FONT,
      axisLabel: FONT,
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows.map(({ name }) => name),
      axisLabel: FONT,
      axisTick: { show: false },
    },
    series: [
      ...rows.map(
        ({ colour, interval }, index): SeriesOption =>
          spans(colour, [[interval.low, interval.high, index]]),
      ),
      {
        type: 'scatter',
        symbolSize: 9,
        data: rows.map(({ interval, colour }, index) => ({
          value: [interval.estimate, index],
          itemStyle: { color: colour },
        })),
        markLine: zeroLine(),
      },
    ],
  });
}

/** Hit rate by probability: what was paid and what came, with 95 percent intervals. */
export function bandChart(
  name: string,
  bands: readonly { readonly band: string; readonly paid: number; readonly hit: Interval }[],
): string {
  return drawn(name, 640, 330, {
    legend: legendOf([
      { name: 'came true', colour: COLOURS.ours },
      { name: 'mean price paid', colour: COLOURS.market },
    ]),
    grid: { left: 58, right: 18, top: 40, bottom: 34 },
    xAxis: {
      type: 'category',
      data: bands.map(({ band }) => band),
      axisLabel: { ...FONT, fontSize: 11, interval: 0 },
    },
    yAxis: {
      type: 'value',
      min: 0.6,
      max: 1,
      axisLabel: { ...FONT, formatter: (value: number) => `${Math.round(value * 100)} %` },
    },
    series: [
      errorBars(
        'came true',
        COLOURS.ours,
        bands.map(({ hit }, index) => [index, hit.low, hit.high]),
      ),
      {
        type: 'scatter',
        name: 'came true',
        color: COLOURS.ours,
        symbolSize: 9,
        data: bands.map(({ hit }, index) => [index, hit.estimate]),
      },
      {
        type: 'scatter',
        name: 'mean price paid',
        color: COLOURS.market,
        symbol: 'diamond',
        symbolSize: 11,
        data: bands.map(({ paid }, index) => [index, paid]),
      },
    ],
  });
}

/** Upright bars from low to high at each place. */
function errorBars(
  name: string,
  colour: string,
  bars: readonly (readonly [at: number, low: number, high: number])[],
): SeriesOption {
  return {
    type: 'custom',
    name,
    color: colour,
    silent: true,
    encode: { x: 0, y: [1, 2] },
    data: bars.map((bar) => [...bar]),
    renderItem: (_params, api) => {
      const [low, high] = [
        api.coord([api.value(0), api.value(1)]),
        api.coord([api.value(0), api.value(2)]),
      ];
      return {
        type: 'line',
        shape: { x1: low[0] ?? 0, y1: low[1] ?? 0, x2: high[0] ?? 0, y2: high[1] ?? 0 },
        style: { stroke: colour, lineWidth: 1.2, opacity: 0.7 },
      };
    },
  };
}

/** Level bars from low to high in each row. */
function spans(
  colour: string,
  bars: readonly (readonly [low: number, high: number, row: number])[],
): SeriesOption {
  return {
    type: 'custom',
    color: colour,
    silent: true,
    encode: { x: [0, 1], y: 2 },
    data: bars.map((bar) => [...bar]),
    renderItem: (_params, api) => {
      const [low, high] = [
        api.coord([api.value(0), api.value(2)]),
        api.coord([api.value(1), api.value(2)]),
      ];
      return {
        type: 'line',
        shape: { x1: low[0] ?? 0, y1: low[1] ?? 0, x2: high[0] ?? 0, y2: high[1] ?? 0 },
        style: { stroke: colour, lineWidth: 2, opacity: 0.8 },
      };
    },
  };
}

function zeroLine(): {
  readonly silent: true;
  readonly symbol: 'none';
  readonly label: { readonly show: false };
  readonly lineStyle: object;
  readonly data: { readonly xAxis: number }[];
} {
  return {
    silent: true,
    symbol: 'none',
    label: { show: false },
    lineStyle: { color: '#555', type: 'dashed', width: 1 },
    data: [{ xAxis: 0 }],
  };
}

function shareAxis(
  name: string,
  nameGap: number,
): {
  readonly type: 'value';
  readonly min: 0;
  readonly max: 1;
  readonly name: string;
  readonly nameLocation: 'middle';
  readonly nameGap: number;
  readonly nameTextStyle: object;
  readonly axisLabel: object;
} {
  return {
    type: 'value',
    min: 0,
    max: 1,
    name,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: FONT,
    axisLabel: { ...FONT, formatter: (value: number) => `${Math.round(value * 100)} %` },
  };
}

function legendOf(lines: readonly Line[]): {
  readonly top: number;
  readonly itemGap: number;
  readonly textStyle: object;
  readonly data: { readonly name: string; readonly itemStyle: object }[];
} {
  return {
    top: 4,
    itemGap: 24,
    textStyle: FONT,
    data: lines.map(({ name, colour }) => ({ name, itemStyle: { color: colour } })),
  };
}

/**
 * Draws without a browser. The library numbers its styles over the whole process: a name in their
 * place makes the same plot the same text.
 */
function drawn(name: string, width: number, height: number, option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, textStyle: { fontFamily: FONT.fontFamily }, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  const names = new Map<string, string>();
  return svg.replace(/zr\d+-[a-z]+-?\w*/g, (found) => {
    const known = names.get(found) ?? `${name}-${names.size}`;
    names.set(found, known);
    return known;
  });
}
