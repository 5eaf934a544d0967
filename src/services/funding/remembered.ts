/** Things by name, of which the one named longest ago is forgotten beyond a bound. */
export interface Remembered<T> {
  get(name: string): T | undefined;
  keep(name: string, value: T): void;
  forget(name: string): void;
}

/** Creates the memory of at most so many things. */
export function createRemembered<T>(maximum: number): Remembered<T> {
  const kept = new Map<string, T>();
  return {
    get: (name) => kept.get(name),
    keep(name, value) {
      kept.delete(name);
      kept.set(name, value);
      const oldest = kept.size > maximum ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
    },
    forget: (name) => void kept.delete(name),
  };
}
