import type { Clock } from '../../../src/ports/clock.ts';
import type { EndedSpan, Tracing } from '../../../src/ports/tracing.ts';

/** Tracing that keeps its spans, by the time of a clock and with ids that count up. */
export function createKeptTracing(
  clock: Pick<Clock, 'nowMs'>,
  first = 1,
): Tracing & { readonly spans: EndedSpan[] } {
  const spans: EndedSpan[] = [];
  let next = first;
  const id = (digits: number): string => (next++).toString(16).padStart(digits, '0');
  return {
    spans,
    nowMs: () => clock.nowMs(),
    newTraceId: () => id(32),
    newSpanId: () => id(16),
    keep: (more) => void spans.push(...more),
  };
}
