import type { Key, Versioned } from '../../ports/store.ts';

/**
 * Records as LMDB gave them last, missing ones too, so that what each order asks for is decoded once. The newest are kept: two
 * generations of half the bound each, of which the older goes when the younger is full. Whoever writes to LMDB makes it forget.
 */
export class RecalledRecords {
  readonly #generationMaximum: number;
  #young = new Map<string, Versioned<unknown> | null>();
  #old = new Map<string, Versioned<unknown> | null>();

  constructor(maximum: number) {
    this.#generationMaximum = Math.ceil(maximum / 2);
  }

  /** The record, null where LMDB has none, undefined where that is not known here. */
  get(table: string, key: Key): Versioned<unknown> | null | undefined {
    const name = nameOf(table, key);
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) this.#keep(name, old);
    return old;
  }

  keep(table: string, key: Key, record: Versioned<unknown> | null): void {
    this.#keep(nameOf(table, key), record);
  }

  forget(table: string, key: Key): void {
    const name = nameOf(table, key);
    this.#young.delete(name);
    this.#old.delete(name);
  }

  #keep(name: string, record: Versioned<unknown> | null): void {
    if (this.#young.size >= this.#generationMaximum) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, record);
  }
}

/** Names of tables and texts of keys hold no control characters, so the line ends part them. */
function nameOf(table: string, key: Key): string {
  let name = table;
  for (const part of key) name += typeof part === 'number' ? `\n#${part}` : `\n=${part}`;
  return name;
}
