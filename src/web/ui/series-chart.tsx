import {
  type BaselineData,
  BaselineSeries,
  createChart,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  TickMarkType,
  type UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { usePreferences } from '../app/preferences.ts';
import { cents, decimalText, percent, tokenPrice, usd } from '../format/money.ts';
import { axisMoment, exactMoment } from '../format/time.ts';
import { type ChartPoint, evenPoints } from './even-points.ts';
import { Empty } from './state.tsx';
import styles from './series-chart.module.css';

const FORMATS = {
  usd: (value: number) => usd(decimalText(value)),
  cents: (value: number) => cents(value.toFixed(4)),
  percent: (value: number) => percent(value.toFixed(4)),
  // a hundred millionth of a token's price may be all there is of it
  token: (value: number) => tokenPrice(value.toFixed(18)),
} as const;
const UNITS = { usd: 'USD', cents: 'cents a share', percent: 'percent', token: 'USD' } as const;
const TABLE_ROWS = 12;
/** A label of the axis that is nearer to the badge of the newest value would lie under it. */
const BADGE_PIXELS = 18;
const AXIS_KINDS = {
  [TickMarkType.Year]: 'day',
  [TickMarkType.Month]: 'day',
  [TickMarkType.DayOfMonth]: 'day',
  [TickMarkType.Time]: 'time',
  [TickMarkType.TimeWithSeconds]: 'seconds',
} as const;

/**
 * A series against a base line, above it in the colour of up and below it in that of down. Its
 * newest facts are read to those who do not see it, and its figures stand in a table on request.
 * Without points it says why.
 */
export function SeriesChart({
  label,
  points,
  base,
  baseLabel,
  empty,
  format,
}: {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  /** Null draws none: the first point is the base then. */
  readonly base: number | null;
  readonly baseLabel: string;
  readonly empty: string;
  readonly format: keyof typeof FORMATS;
}) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<{ readonly api: IChartApi; readonly series: ISeriesApi<'Baseline'> } | null>(
    null,
  );
  const drawn = useRef<readonly ChartPoint[]>([]);
  const preferences = usePreferences();
  const write = FORMATS[format];
  const baseValue = base ?? points[0]?.value ?? null;
  const isEmpty = points.length === 0;
  useEffect(() => {
    if (element.current === null || isEmpty) return undefined;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const api = createChart(element.current, {
      autoSize: true,
      layout: {
        background: { color: 'transparent' },
        textColor: colour('--text-3'),
        fontFamily: colour('--font'),
        attributionLogo: false,
      },
      grid: { vertLines: { visible: false }, horzLines: { color: colour('--line') } },
      // a label that would be cut at the upper or lower edge is left out
      rightPriceScale: { borderVisible: false, entireTextOnly: true },
      timeScale: {
        borderVisible: false,
        timeVisible: true,
        secondsVisible: true,
        // the labels nearest to a fixed edge are moved within it, and else cut there
        fixLeftEdge: true,
        fixRightEdge: true,
        // the library writes UTC by itself, and everything else here is this device's time
        tickMarkFormatter: (time: UTCTimestamp, kind: TickMarkType) =>
          axisMoment(time * 1_000, AXIS_KINDS[kind]),
      },
      // it shows all there is: a wheel, a pinch or a drag over it is for the page
      handleScroll: false,
      handleScale: false,
      localization: {
        priceFormatter: write,
        timeFormatter: (time: UTCTimestamp) => exactMoment(time * 1_000),
      },
    });
    const series = api.addSeries(BaselineSeries, {
      topLineColor: colour('--up'),
      topFillColor1: `${colour('--up')}33`,
      topFillColor2: `${colour('--up')}05`,
      bottomLineColor: colour('--down'),
      bottomFillColor1: `${colour('--down')}05`,
      bottomFillColor2: `${colour('--down')}33`,
      lineWidth: 2,
      priceLineVisible: false,
      // the library's own badge is of the last point in sight, which may be one before the newest
      lastValueVisible: false,
    });
    chart.current = { api, series };
    drawn.current = [];
    return () => {
      chart.current = null;
      api.remove();
    };
  }, [isEmpty, preferences, write]);
  useEffect(() => {
    if (chart.current === null || baseValue === null) return undefined;
    const { series } = chart.current;
    series.applyOptions({
      baseValue: { type: 'price', price: baseValue },
      priceFormat: { type: 'custom', formatter: write, minMove: leastStep(baseValue) },
    });
    if (base === null) return undefined;
    const line = series.createPriceLine({
      price: base,
      lineStyle: LineStyle.Dashed,
      lineWidth: 1,
      axisLabelVisible: false,
      title: baseLabel,
    });
    return () => {
      // the chart takes its lines with it when it goes
      if (chart.current?.series === series) series.removePriceLine(line);
    };
  }, [base, baseLabel, baseValue, isEmpty, preferences, write]);
  useEffect(() => {
    if (chart.current === null) return undefined;
    const { api, series } = chart.current;
    const even = evenPoints(points);
    const last = even.at(-1);
    // most often the newest step alone has changed, and drawing all takes longer
    if (last !== undefined && isSameBefore(even, drawn.current)) series.update(drawnAs(last));
    else {
      series.setData(even.map(drawnAs));
      api.timeScale().fitContent();
    }
    drawn.current = even;
    if (last === undefined || baseValue === null) return undefined;
    const style = getComputedStyle(document.documentElement);
    const badge = series.createPriceLine({
      price: last.value,
      lineVisible: false,
      axisLabelVisible: true,
      axisLabelColor: style.getPropertyValue(last.value < baseValue ? '--down' : '--up').trim(),
      title: '',
    });
    api.applyOptions({
      localization: {
        tickmarksPriceFormatter: (prices: number[]) => {
          const at = series.priceToCoordinate(last.value);
          return prices.map((price) => {
            const mark = series.priceToCoordinate(price);
            const isUnder = at !== null && mark !== null && Math.abs(at - mark) < BADGE_PIXELS;
            return isUnder ? '' : write(price);
          });
        },
      },
    });
    return () => {
      if (chart.current?.series === series) series.removePriceLine(badge);
    };
  }, [baseValue, isEmpty, points, preferences, write]);
  const last = points.at(-1);
  if (last === undefined) return <Empty>{empty}</Empty>;
  return (
    <>
      <div
        ref={element}
        className={styles['chart']}
        role="img"
        aria-label={`${label}. Last ${write(last.value)}${base === null ? '' : `, ${baseLabel} ${write(base)}`}.`}
      />
      <p className={styles['axes']}>
        {label}, in {UNITS[format]}. The time below it is this device’s.
      </p>
      <details className={styles['table']}>
        <summary>Show as table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">{UNITS[format]}</th>
            </tr>
          </thead>
          <tbody>
            {points
              .filter(
                (_point, index) =>
                  index % Math.max(1, Math.ceil(points.length / TABLE_ROWS)) === 0 ||
                  index === points.length - 1,
              )
              .map(({ time, value, isGap }) => (
                <tr key={time}>
                  <td>{exactMoment(time * 1_000)}</td>
                  <td>{isGap ? 'not known' : write(value)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** True where two lists of steps differ in the value of the last one at most. */
function isSameBefore(now: readonly ChartPoint[], before: readonly ChartPoint[]): boolean {
  return (
    now.length === before.length &&
    now.every(
      ({ time, value, isGap }, index) =>
        time === before[index]?.time &&
        (index === now.length - 1 ||
          (value === before[index].value && isGap === before[index].isGap)),
    )
  );
}

/** Colours of the line to a gap. */
const UNSEEN = {
  topLineColor: 'transparent',
  topFillColor1: 'transparent',
  topFillColor2: 'transparent',
  bottomLineColor: 'transparent',
  bottomFillColor1: 'transparent',
  bottomFillColor2: 'transparent',
};

/** A point as the library takes it. */
function drawnAs({ time, value, isGap }: ChartPoint): BaselineData<UTCTimestamp> {
  return { time: asTime(time), value, ...(isGap ? UNSEEN : {}) };
}

/** The least step of the scale: hundredths, or a ten thousandth of a price below a cent. */
function leastStep(value: number): number {
  const size = Math.abs(value);
  return size === 0 || size >= 0.01 ? 0.01 : 10 ** (Math.floor(Math.log10(size)) - 4);
}

/** The library's own kind of number for times: epoch seconds. */
function asTime(seconds: number): UTCTimestamp {
  return seconds as UTCTimestamp;
}
