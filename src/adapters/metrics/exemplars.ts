import type { Labels } from '../../ports/metrics.ts';

interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  readonly atMs: number;
}

/**
 * Traces beside buckets of histograms: the newest of each bucket, so that memory is bounded by
 * them.
 */
export class ExemplarTable {
  readonly #kept = new Map<string, Exemplar>();

  /** `buckets` are the histogram's upper bounds, rising; beyond the last it is that of infinity. */
  put(
    name: string,
    exemplar: Exemplar,
    { labels, buckets }: { readonly labels: Labels; readonly buckets: readonly number[] },
  ): void {
    const bound = buckets.find((each) => exemplar.value <= each);
    const le = bound === undefined ? '+Inf' : String(bound);
    this.#kept.set(keyOf(`${name}_bucket`, { ...labels, le }), exemplar);
  }

  /**
   * A line of OpenMetrics with its exemplar behind it, where there is one (section "Exemplars").
   */
  beside(line: string): string {
    if (this.#kept.size === 0) return line;
    const [, name, text] = /^(\w+_bucket)\{(.*)\} \S+$/.exec(line) ?? [];
    if (name === undefined || text === undefined) return line;
    const labels = Object.fromEntries(
      [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    );
    const found = this.#kept.get(keyOf(name, labels));
    return found === undefined
      ? line
      : `${line} # {trace_id="${found.traceId}"} ${found.value} ${(found.atMs / 1_000).toFixed(3)}`;
  }
}

function keyOf(name: string, labels: Labels): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${name} ${sorted.map(([key, value]) => `${key}=${value}`).join(' ')}`;
}
