import { compareKeys, hasPrefix } from '../../ports/store-rules.ts';
import type { Key, Range, Versioned } from '../../ports/store.ts';

/**
 * Records by their names (`recordName`), and in key order for whoever asks for a range: most are
 * asked for by name alone, so they are put in order when a range is asked for first, and kept so
 * from then on.
 */
export class NamedRecords {
  readonly #byName: Map<string, Versioned<unknown>>;
  #sorted: Versioned<unknown>[] | null = null;

  constructor(records: Iterable<readonly [name: string, record: Versioned<unknown>]> = []) {
    this.#byName = new Map(records);
  }

  /** A copy that shares the records. */
  copy(): NamedRecords {
    return new NamedRecords(this.#byName);
  }

  get(name: string): Versioned<unknown> | undefined {
    return this.#byName.get(name);
  }

  set(name: string, record: Versioned<unknown>): void {
    const isThere = this.#sorted !== null && this.#byName.has(name);
    this.#byName.set(name, record);
    this.#sorted?.splice(firstAtOrBehind(this.#sorted, record.key), isThere ? 1 : 0, record);
  }

  delete(name: string): void {
    const record = this.#byName.get(name);
    if (record === undefined) return;
    this.#byName.delete(name);
    this.#sorted?.splice(firstAtOrBehind(this.#sorted, record.key), 1);
  }

  /**
   * Visits the records with their names, in no order that counts. They must not change meanwhile.
   */
  forEach(visit: (record: Versioned<unknown>, name: string) => void): void {
    this.#byName.forEach(visit);
  }

  /**
   * Records of a range in its order, its limit left to the reader; null without one. The
   * records must not change while it runs.
   */
  iterate({ prefix = [], after, reverse = false }: Range): Iterable<Versioned<unknown>> | null {
    if (this.#byName.size === 0) return null;
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => compareKeys(a.key, b.key));
    const start = startOf(this.#sorted, { prefix, after, reverse });
    const first = this.#sorted[start];
    return first === undefined || !hasPrefix(first.key, prefix)
      ? null
      : walk(this.#sorted, { start, prefix, step: reverse ? -1 : 1 });
  }

  range({ limit = Number.POSITIVE_INFINITY, ...range }: Range): Versioned<unknown>[] {
    const found: Versioned<unknown>[] = [];
    if (limit === 0) return found;
    for (const record of this.iterate(range) ?? []) if (found.push(record) >= limit) break;
    return found;
  }
}

function* walk(
  sorted: readonly Versioned<unknown>[],
  { start, prefix, step }: { readonly start: number; readonly prefix: Key; readonly step: 1 | -1 },
): Generator<Versioned<unknown>, void> {
  for (let index = start; ; index += step) {
    const record = sorted[index];
    if (record === undefined || !hasPrefix(record.key, prefix)) return;
    yield record;
  }
}

function startOf(
  sorted: readonly Versioned<unknown>[],
  {
    prefix,
    after,
    reverse,
  }: { readonly prefix: Key; readonly after: Key | undefined; readonly reverse: boolean },
): number {
  if (!reverse) {
    const start = partition(sorted, (key) => compareKeys(key, prefix) >= 0);
    return after === undefined
      ? start
      : Math.max(
          start,
          partition(sorted, (key) => compareKeys(key, after) > 0),
        );
  }
  const end = partition(sorted, (key) => compareKeys(key, prefix) > 0 && !hasPrefix(key, prefix));
  return (after === undefined ? end : Math.min(end, firstAtOrBehind(sorted, after))) - 1;
}

function firstAtOrBehind(sorted: readonly Versioned<unknown>[], key: Key): number {
  return partition(sorted, (other) => compareKeys(other, key) >= 0);
}

/**
 * Index of the first record for which `isBehind` holds; it must hold for all after that one. Keys
 * mostly grow: the last is looked at first.
 */
function partition(sorted: readonly Versioned<unknown>[], isBehind: (key: Key) => boolean): number {
  const last = sorted.at(-1);
  if (last === undefined || !isBehind(last.key)) return sorted.length;
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = sorted[middle];
    if (record !== undefined && isBehind(record.key)) high = middle;
    else low = middle + 1;
  }
  return low;
}
