/** A map of at most so many entries, of which the one set longest ago goes first. */
export class BoundedMap<K, V> {
  readonly #maximum: number;
  readonly #entries = new Map<K, V>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Sets an entry, which is the newest from now on. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#maximum) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
