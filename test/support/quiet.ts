import type { JournalEntry } from '../../src/domain/events.ts';
import type { Bus } from '../../src/ports/bus.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { Metrics } from '../../src/ports/metrics.ts';

/** A line a test can read. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines. */
export function createKeptLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: LogFields, event: string) =>
    void lines.push({ level, event, fields });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Metrics that keep counts and gauges by name and label values. */
export function createKeptMetrics(): Metrics & { readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const nameOf = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    [name, ...Object.values(labels)].join(' ');
  return {
    counts,
    count: (name, labels, by = 1) =>
      void counts.set(nameOf(name, labels), (counts.get(nameOf(name, labels)) ?? 0) + by),
    gauge: (name, value, labels) => void counts.set(nameOf(name, labels), value),
    observe: () => undefined,
    startTimer: () => () => undefined,
    beforeRead: () => undefined,
  };
}

/** A bus that keeps what was published. */
export function createKeptBus(): Bus & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  const listeners = new Set<(entry: JournalEntry) => void>();
  return {
    entries,
    publish(published) {
      entries.push(...published);
      for (const entry of published) for (const listener of listeners) listener(entry);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
