/** Ends what was started, last first, each even when another failed. */
export interface Teardown {
  add(end: () => Promise<unknown>): void;
  /** Runs every end once; rejects with the first failure after all have run. */
  run(): Promise<void>;
}

/** Makes an empty teardown. */
export function createTeardown(): Teardown {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    add: (end) => void ends.push(end),
    async run() {
      const failures: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((cause: unknown) => failures.push(cause));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
