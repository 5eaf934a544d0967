/** Labels come from small fixed sets, never user or market ids. */
export type Labels = Readonly<Record<string, string>>;

/** How metrics are written: Prometheus' text format 0.0.4, or OpenMetrics 1.0. */
export type MetricsFormat = 'prometheus' | 'openmetrics';

/** Names traces beside observations of a histogram, after they were made. */
export interface Exemplars {
  /** The newest of its bucket is shown where metrics are read as OpenMetrics. */
  exemplar(
    name: string,
    value: number,
    of: { readonly labels: Labels; readonly traceId: string },
  ): void;
}

/**
 * Counters, gauges and histograms by name. Names end in the unit; the adapter declares every name
 * once.
 */
export interface Metrics {
  /** Adds to a counter. */
  count(name: string, labels?: Labels, by?: number): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: Labels): void;
  /** Adds an observation to a histogram. */
  observe(name: string, value: number, labels?: Labels): void;
  /**
   * Starts a stopwatch in seconds of real time; the function it gives observes and stops it, and
   * takes the labels known only then.
   */
  startTimer(name: string, labels?: Labels): (more?: Labels) => void;
  /**
   * Runs `set` each time before the metrics are read: it sets gauges of what is known at that
   * moment alone, so that nothing is counted along where it happens.
   */
  beforeRead(set: () => void): void;
}
