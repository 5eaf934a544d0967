import { compareKeys, hasPrefix } from '../../ports/store-rules.ts';
import type { Key, Range, Versioned } from '../../ports/store.ts';

/** Records in key order: a sorted array, cheap for keys that mostly grow. */
export class SortedRecords {
  readonly #records: Versioned<unknown>[];

  constructor(records: readonly Versioned<unknown>[] = []) {
    this.#records = [...records];
  }

  /** A copy that shares the records but not their order. */
  copy(): SortedRecords {
    return new SortedRecords(this.#records);
  }

  get(key: Key): Versioned<unknown> | null {
    const found = this.#records[this.#firstAtOrBehind(key)];
    return found !== undefined && compareKeys(found.key, key) === 0 ? found : null;
  }

  /** Puts the record, or takes the key out when it is null. */
  set(key: Key, record: Versioned<unknown> | null): void {
    const index = this.#firstAtOrBehind(key);
    const found = this.#records[index];
    const isThere = found !== undefined && compareKeys(found.key, key) === 0;
    if (record === null) {
      if (isThere) this.#records.splice(index, 1);
    } else if (isThere) this.#records[index] = record;
    else if (index === this.#records.length) this.#records.push(record);
    else this.#records.splice(index, 0, record);
  }

  /** Visits the records in order. They must not change meanwhile. */
  forEach(visit: (record: Versioned<unknown>) => void): void {
    this.#records.forEach(visit);
  }

  /** Records of a range in its order, its limit left to the reader. The records must not change while it runs. */
  *iterate({ prefix = [], after, reverse = false }: Range): Generator<Versioned<unknown>, void> {
    const step = reverse ? -1 : 1;
    for (let index = this.#startOf(prefix, after, reverse); ; index += step) {
      const record = this.#records[index];
      if (record === undefined || !hasPrefix(record.key, prefix)) return;
      yield record;
    }
  }

  range({ limit = Number.POSITIVE_INFINITY, ...range }: Range): Versioned<unknown>[] {
    const found: Versioned<unknown>[] = [];
    if (limit === 0) return found;
    for (const record of this.iterate(range)) if (found.push(record) >= limit) break;
    return found;
  }

  #startOf(prefix: Key, after: Key | undefined, reverse: boolean): number {
    if (!reverse) {
      const start = this.#partition((key) => compareKeys(key, prefix) >= 0);
      return after === undefined ? start : Math.max(start, this.#partition((key) => compareKeys(key, after) > 0));
    }
    const end = this.#partition((key) => compareKeys(key, prefix) > 0 && !hasPrefix(key, prefix));
    return (after === undefined ? end : Math.min(end, this.#firstAtOrBehind(after))) - 1;
  }

  #firstAtOrBehind(key: Key): number {
    return this.#partition((other) => compareKeys(other, key) >= 0);
  }

  /** Index of the first record for which `isBehind` holds; it must hold for all after that one. */
  #partition(isBehind: (key: Key) => boolean): number {
    const last = this.#records.at(-1);
    if (last === undefined || !isBehind(last.key)) return this.#records.length;
    let low = 0;
    let high = this.#records.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const record = this.#records[middle];
      if (record !== undefined && isBehind(record.key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
