import type { Key, Versioned } from '../../ports/store.ts';
import { NewestKept } from '../memory/newest-kept.ts';
import { recordName } from './record-name.ts';

/** Records as LMDB gave them last, missing ones too, so that what each order asks for is decoded once. Whoever puts a record over one of LMDB makes it forget that. */
export class RecalledRecords {
  readonly #kept: NewestKept<Versioned<unknown> | null>;

  constructor(maximum: number) {
    this.#kept = new NewestKept(maximum);
  }

  /** The record, null where LMDB has none, undefined where that is not known here. */
  get(table: string, key: Key): Versioned<unknown> | null | undefined {
    return this.#kept.get(recordName(table, key));
  }

  keep(table: string, key: Key, record: Versioned<unknown> | null): void {
    this.#kept.keep(recordName(table, key), record);
  }

  forget(table: string, key: Key): void {
    this.#kept.forget(recordName(table, key));
  }
}
