import { assert } from '../../domain/errors.ts';

/** Things by name, made for the first that uses one and kept for the next. */
export interface Pool<T> {
  /** Returns the one of that name for one more user, until they leave it. */
  use(name: string): T;
  /** Counts one user less. An unused name is a programmer's error. */
  leave(name: string): void;
}

export interface PoolDeps<T> {
  /**
   * How many unused ones are kept; beyond it the longest unused goes. What is in use stays,
   * however many that are.
   */
  readonly keptMaximum: number;
  make(name: string): T;
}

/** Creates an empty pool. */
export function createPool<T>({ keptMaximum, make }: PoolDeps<T>): Pool<T> {
  const used = new Map<string, { readonly item: T; users: number }>();
  /** In the order in which they were left. */
  const idle = new Map<string, T>();
  return {
    use(name) {
      const entry = used.get(name) ?? { item: idle.get(name) ?? make(name), users: 0 };
      idle.delete(name);
      entry.users += 1;
      used.set(name, entry);
      return entry.item;
    },
    leave(name) {
      const entry = used.get(name);
      assert(entry !== undefined, `${name} is in use until it is left`);
      entry.users -= 1;
      if (entry.users > 0) return;
      used.delete(name);
      idle.set(name, entry.item);
      const [longest = name] = idle.keys();
      if (idle.size > keptMaximum) idle.delete(longest);
    },
  };
}
