import type { Key, Versioned } from '../../ports/store.ts';
import { NewestKept } from '../memory/newest-kept.ts';

/** Records as LMDB gave them last, missing ones too, so that what each order asks for is decoded once. Whoever puts a record over one of LMDB makes it forget that. */
export class RecalledRecords {
  readonly #kept: NewestKept<Versioned<unknown> | null>;

  constructor(maximum: number) {
    this.#kept = new NewestKept(maximum);
  }

  /** The record, null where LMDB has none, undefined where that is not known here. */
  get(table: string, key: Key): Versioned<unknown> | null | undefined {
    return this.#kept.get(nameOf(table, key));
  }

  keep(table: string, key: Key, record: Versioned<unknown> | null): void {
    this.#kept.keep(nameOf(table, key), record);
  }

  forget(table: string, key: Key): void {
    this.#kept.forget(nameOf(table, key));
  }
}

/** Names of tables and texts of keys hold no control characters, so the line ends part them. */
function nameOf(table: string, key: Key): string {
  let name = table;
  for (const part of key) name += typeof part === 'number' ? `\n#${part}` : `\n=${part}`;
  return name;
}
