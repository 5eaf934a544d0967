import { readFileSync } from 'node:fs';

/** What one kind of thing takes in a heap. */
interface Taken {
  readonly count: number;
  readonly bytes: number;
}

/** A heap snapshot as V8 writes it, as far as it is looked at. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** The kinds of things that grew most between two heap snapshots, a line each. */
export function heapGrowth(
  beforeFile: string,
  afterFile: string,
  lines: number,
): readonly string[] {
  const [before, after] = [kindsIn(beforeFile), kindsIn(afterFile)];
  return [...after]
    .map(([kind, { count, bytes }]) => ({
      kind,
      count: count - (before.get(kind)?.count ?? 0),
      bytes: bytes - (before.get(kind)?.bytes ?? 0),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, lines)
    .map(
      ({ kind, count, bytes }) =>
        `${(bytes / 1_024).toFixed(0).padStart(8)} KB more in ${String(count).padStart(7)} more of ${kind}`,
    );
}

function kindsIn(file: string): ReadonlyMap<string, Taken> {
  // what V8 writes has this shape (its documentation of heap snapshots)
  const {
    snapshot: { meta },
    nodes,
    strings,
  } = JSON.parse(readFileSync(file, 'utf8')) as Snapshot;
  const width = meta.node_fields.length;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) =>
    meta.node_fields.indexOf(field),
  );
  const kinds = new Map<string, Taken>();
  for (let at = 0; at < nodes.length; at += width) {
    const typeName = meta.node_types[0][nodes[at + (type ?? 0)] ?? 0] ?? '';
    const kind =
      typeName === 'object' || typeName === 'closure'
        ? `${typeName} ${strings[nodes[at + (name ?? 0)] ?? 0] ?? ''}`
        : typeName;
    const known = kinds.get(kind) ?? { count: 0, bytes: 0 };
    kinds.set(kind, {
      count: known.count + 1,
      bytes: known.bytes + (nodes[at + (size ?? 0)] ?? 0),
    });
  }
  return kinds;
}
