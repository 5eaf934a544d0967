import { parser } from '@prometheus-io/lezer-promql';

/** What a query reads: a series by name, and the labels it selects or groups by. */
interface ReadSeries {
  readonly name: string;
  readonly labels: readonly string[];
}

/** A query as it was read. */
export interface ReadQuery {
  /** Where it is no PromQL; null where it is. */
  readonly fault: string | null;
  readonly series: readonly ReadSeries[];
  /** Labels that `by`, `on` and the like name, whatever the series. */
  readonly groupings: readonly string[];
  /** Labels that `label_join` and `label_replace` make. */
  readonly made: readonly string[];
}

/** What Grafana puts in the place of its variables, as PromQL would have it. */
function plain(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$venue', '.*')
    .replaceAll('$agent', '.*');
}

/** Reads a query without Prometheus. */
export function readQuery(expr: string): ReadQuery {
  const text = plain(expr);
  const tree = parser.configure({ top: 'PromQL' }).parse(text);
  const series: { name: string; labels: string[] }[] = [];
  const groupings: string[] = [];
  const made: string[] = [];
  let fault: string | null = null;
  tree.iterate({
    enter(node) {
      const said = text.slice(node.from, node.to);
      if (node.type.isError) fault ??= `at ${node.from}: ${text.slice(node.from, node.from + 20)}`;
      if (node.name === 'FunctionCall' && said.startsWith('label_')) {
        const label = node.node.getChild('FunctionCallBody')?.getChild('StringLiteral');
        if (label) made.push(text.slice(label.from + 1, label.to - 1));
      }
      if (node.name === 'VectorSelector') series.push({ name: '', labels: [] });
      const last = series.at(-1);
      if (node.name === 'Identifier' && last?.name === '') last.name = said;
      if (node.name !== 'LabelName') return;
      if (node.node.parent?.name === 'UnquotedLabelMatcher') last?.labels.push(said);
      else groupings.push(said);
    },
  });
  return { fault, series, groupings, made };
}
