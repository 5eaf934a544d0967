/**
 * Keeps what was asked for last by name: two generations of half the bound each, of which the older
 * goes when the younger is full. Asking keeps a thing young, and costs a lookup or two.
 */
export class NewestKept<T> {
  readonly #generationMaximum: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** `maximum` things at most, 2 at least. */
  constructor(maximum: number) {
    this.#generationMaximum = Math.ceil(maximum / 2);
  }

  /** What is kept under the name; undefined where nothing is. */
  get(name: string): T | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) this.keep(name, old);
    return old;
  }

  keep(name: string, value: T): void {
    if (this.#young.size >= this.#generationMaximum) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, value);
  }

  forget(name: string): void {
    this.#young.delete(name);
    this.#old.delete(name);
  }
}
