import type { Metrics } from '../../src/ports/metrics.ts';

/**
 * Metrics that remember how often each counter with its labels was raised, and every gauge's newest
 * value.
 */
export interface CountingMetrics extends Metrics {
  readonly counts: Record<string, number>;
  readonly gauges: Record<string, number>;
  /** What was observed, newest last. */
  readonly observed: Record<string, number[]>;
  /** Sets the gauges that are set before a reading. */
  read(): void;
}

/** Makes metrics for tests. Keys read "name" or "name label=value label=value". */
export function createCountingMetrics(): CountingMetrics {
  const counts: Record<string, number> = {};
  const gauges: Record<string, number> = {};
  const observed: Record<string, number[]> = {};
  const beforeRead: (() => void)[] = [];
  const keyOf = (name: string, labels: Readonly<Record<string, string>> = {}): string =>
    [name, ...Object.entries(labels).map(([label, value]) => `${label}=${value}`)].join(' ');
  return {
    counts,
    gauges,
    observed,
    read: () => beforeRead.forEach((set) => set()),
    count(name, labels, by = 1) {
      const key = keyOf(name, labels);
      counts[key] = (counts[key] ?? 0) + by;
    },
    gauge(name, value, labels) {
      gauges[keyOf(name, labels)] = value;
    },
    observe(name, value, labels) {
      (observed[keyOf(name, labels)] ??= []).push(value);
    },
    startTimer: () => () => {},
    beforeRead: (set) => void beforeRead.push(set),
  };
}
