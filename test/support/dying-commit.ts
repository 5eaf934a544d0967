import type { Commit } from '../../src/ports/commit.ts';

/** Commits until it dies: nothing is stored after so many, and no caller hears of it. */
export function dyingAfter(steps: number): {
  readonly wrap: (durable: Commit) => Commit;
  readonly isDead: () => boolean;
} {
  let commits = 0;
  const never = new Promise<never>(() => undefined);
  return {
    isDead: () => commits >= steps,
    wrap: (durable) => async (change, whenDurable) => {
      if (commits >= steps) return never;
      const result = await durable(change, whenDurable);
      commits += 1;
      return commits >= steps ? never : result;
    },
  };
}
