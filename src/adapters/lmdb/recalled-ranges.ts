import type { Key, Versioned } from '../../ports/store.ts';
import { NewestKept } from '../memory/newest-kept.ts';
import { recordName } from '../memory/record-name.ts';

/**
 * What LMDB had under a prefix, in order, as it was read last: the few open orders of a user are
 * asked for with each order. Outdated, table by table, when LMDB is written.
 */
export class RecalledRanges {
  readonly #kept: NewestKept<readonly Versioned<unknown>[]>;
  readonly #writes = new Map<string, number>();

  constructor(maximum: number) {
    this.#kept = new NewestKept(maximum);
  }

  /** The records of the range; undefined where they are not known here. */
  get(table: string, prefix: Key): readonly Versioned<unknown>[] | undefined {
    return this.#kept.get(this.#nameOf(table, prefix));
  }

  keep(table: string, prefix: Key, records: readonly Versioned<unknown>[]): void {
    this.#kept.keep(this.#nameOf(table, prefix), records);
  }

  outdate(table: string): void {
    this.#writes.set(table, this.#writesOf(table) + 1);
  }

  #nameOf(table: string, prefix: Key): string {
    return recordName(`${table}\n${this.#writesOf(table)}`, prefix);
  }

  #writesOf(table: string): number {
    return this.#writes.get(table) ?? 0;
  }
}
