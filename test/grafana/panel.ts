/**
 * How a panel is drawn: a figure of now, figures of now by name, lines over time, or which series
 * were there when.
 */
type PanelKind = 'stat' | 'list' | 'lines' | 'timeline';

/** Units as Grafana names them. */
type Unit =
  | 's'
  | 'percentunit'
  | 'bytes'
  | 'currencyUSD'
  | 'opm'
  | 'reqps'
  | 'short'
  | 'none'
  | 'dateTimeFromNow'
  | 'dateTimeAsIsoNoDateIfToday';

/** What a panel asks, and how it names each series: `{{label}}` is the label's value. */
export interface PanelQuery {
  readonly expr: string;
  readonly legend: string;
  /** Colour of its figures whatever they are; by the panel's thresholds where absent. */
  readonly colour?: Colour;
  /** Unit of its figures where it is not the panel's. */
  readonly unit?: Unit;
}

/** A word in the place of a figure: for one value, or from one up. */
export interface ValueWord {
  readonly from: number;
  readonly to: number | null;
  readonly text: string;
  readonly colour: Colour;
}

type Colour = 'green' | 'orange' | 'red';

/** From where on a figure is orange and red; `isLow` where less is worse. */
export interface Thresholds {
  readonly orange?: number;
  readonly red: number;
  readonly isLow?: true;
}

export interface PanelSpec {
  readonly title: string;
  readonly kind: PanelKind;
  readonly unit: Unit;
  /** What it means and what is normal, in a sentence or two. */
  readonly description: string;
  readonly queries: readonly PanelQuery[];
  readonly thresholds: Thresholds;
  readonly words?: readonly ValueWord[];
  /** What is written where there is no series: that it is meant to be empty, or that it is not. */
  readonly empty: string;
  /** The alert whose paragraph of the runbook says what to do. */
  readonly runbook: string;
  /** Columns of 24; 4 for a figure, 8 for lines where absent. */
  readonly width?: number;
  /** Rows; 4 for a figure, 7 for lines where absent. */
  readonly height?: number;
}

interface BoardRow {
  readonly title: string;
  readonly panels: readonly PanelSpec[];
}

/** A dashboard of the folder predictd. */
export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly BoardRow[];
}

/** Of panels that have series while the service runs. */
export const NO_DATA = 'no data: is the service up?';
/** Of panels that have series only while something is wrong. */
export const EMPTY_IS_GOOD = 'empty, as it should be';
/** Of panels whose part of the service is not used all the time. */
export const UNUSED = 'empty: not used in this time';

/** Returns a query. */
export function ask(
  expr: string,
  legend: string,
  drawn: Pick<PanelQuery, 'colour' | 'unit'> = {},
): PanelQuery {
  return { expr, legend, ...drawn };
}

/** Returns queries of the quantiles of a histogram; `selector` is written in braces. */
export function quantiles(name: string, selector = ''): readonly PanelQuery[] {
  const [metric, by] = [`predictd_${name}_bucket${selector}`, 'sum by (le)'];
  return [0.5, 0.99, 0.999].map((quantile) =>
    ask(
      `histogram_quantile(${quantile}, ${by} (rate(${metric}[$__rate_interval])))`,
      `p${quantile * 100}`,
    ),
  );
}
