/** What a metric is. `labels` names every label it carries, always all of them. */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in the unit of the name. */
  readonly buckets?: readonly number[];
  /** Most combinations of label values; 256 unless said otherwise. */
  readonly seriesMaximum?: number;
  /**
   * Series that begin at zero: an alert on the rise of a counter would miss the first one
   * otherwise. Where `venue` is a label and not stated, each is there once for each venue.
   */
  readonly series?: readonly Readonly<Record<string, string>>[];
}

/** From a fast commit to a slow venue: 0.1 ms to 10 s. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Returns a counter without fixed series: its label values are learned as they come. */
export function counter(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'counter', help, labels };
}

export function gauge(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'gauge', help, labels };
}

export function histogram(help: string, labels: readonly string[]): MetricSpec {
  return { kind: 'histogram', help, labels, buckets: SECONDS };
}

/** Returns the metric with series that stand at zero from the start. */
export function startingAt(
  series: NonNullable<MetricSpec['series']>,
  spec: MetricSpec,
): MetricSpec {
  return { ...spec, series };
}

/** Returns a counter whose labels are fixed sets: every combination begins at zero. */
export function counterOf(
  sets: Readonly<Record<string, readonly string[]>>,
  help: string,
  labels: readonly string[] = Object.keys(sets),
): MetricSpec {
  return startingAt(combined(sets), counter(help, labels));
}

/** Returns a counter by venue and fixed sets. */
export function venueCounter(
  sets: Readonly<Record<string, readonly string[]>>,
  help: string,
): MetricSpec {
  return counterOf(sets, help, ['venue', ...Object.keys(sets)]);
}

/** Returns the members of a union in the order written; the compiler holds them complete. */
export function membersOf<Name extends string>(
  names: Readonly<Record<Name, true>>,
): readonly Name[] {
  // keys of a record of exactly these names
  return Object.keys(names) as Name[];
}

function combined(
  sets: Readonly<Record<string, readonly string[]>>,
): readonly Readonly<Record<string, string>>[] {
  return Object.entries(sets).reduce<readonly Readonly<Record<string, string>>[]>(
    (series, [label, values]) =>
      series.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}
