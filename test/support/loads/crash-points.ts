import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreHooks,
} from '../../../src/adapters/memory/memory-store.ts';

/**
 * Where the power goes: before a commit, after it with or without the disk having it, or once it is
 * durable.
 */
export interface CutPoint {
  readonly at: 'before-commit' | 'after-commit' | 'after-commit-kept' | 'after-flush';
  /** Counted over the whole run, starting at 1. */
  readonly number: number;
}

/** Moments of each kind that passed, those after the cut included. */
export type Moments = Readonly<Record<'before-commit' | 'after-commit' | 'after-flush', number>>;

/** A life that can be lived through and cut short. */
export interface CutPlan<Life> {
  readonly clock: VirtualClock;
  /** Starts a process on a store; called again after the cut. `starting` is its recovery. */
  begin(
    store: MemoryStore,
    number: number,
  ): { readonly life: Life; readonly starting: Promise<unknown> };
  /**
   * Ends a process at once, as a power failure does: nothing of it reaches the world from now on.
   */
  die(life: Life): void;
  /** Frees what a dead process left in memory. */
  bury(life: Life): Promise<void>;
  /** What a user or the world does, in order; repeated when the power went while it was done. */
  readonly steps: readonly ((life: Life) => Promise<void>)[];
}

/** What a run came to. */
export interface CutRun<Life> {
  readonly store: MemoryStore;
  readonly life: Life;
  readonly lives: number;
  readonly moments: Moments;
}

/** Every point at which the power can go in a run with these moments. */
export function cutPoints(moments: Moments): readonly CutPoint[] {
  return (['before-commit', 'after-commit', 'after-commit-kept', 'after-flush'] as const).flatMap(
    (at) =>
      Array.from(
        { length: moments[at === 'after-commit-kept' ? 'after-commit' : at] },
        (_, index) => ({ at, number: index + 1 }),
      ),
  );
}

/** Runs the steps, cuts the power at most once, and starts again on what the disk kept. */
export async function runThrough<Life>(
  plan: CutPlan<Life>,
  cut: CutPoint | null,
): Promise<CutRun<Life>> {
  const moments = { 'before-commit': 0, 'after-commit': 0, 'after-flush': 0 };
  const kinds = {
    'before-commit': 'before-commit',
    'after-commit': 'after-commit',
    'after-commit-kept': 'after-commit',
    'after-flush': 'after-flush',
  } as const;
  let isCut = false;
  let onCut = () => undefined as void;

  function options(of: () => MemoryStore): MemoryStoreHooks {
    const pass = (kind: keyof typeof moments) => {
      moments[kind] += 1;
      if (cut === null || isCut || kinds[cut.at] !== kind || moments[kind] !== cut.number) return;
      isCut = true;
      store = of().crash({
        ...options(() => store),
        keptCommits: cut.at === 'after-commit-kept' ? 1 : 0,
      });
      onCut();
      throw new Error('the power is gone');
    };
    return {
      beforeCommit: () => pass('before-commit'),
      onCommit: () => pass('after-commit'),
      onFlush: () => pass('after-flush'),
    };
  }

  const first = createMemoryStore(options(() => first));
  let store = first;
  let lives = 0;

  /** A start that is cut short itself is followed by another. */
  async function begin(): Promise<Life> {
    for (;;) {
      lives += 1;
      const own = store;
      const { life, starting } = plan.begin(own, lives);
      onCut = () => plan.die(life);
      await settle(plan.clock, starting, () => own !== store);
      if (own === store) return life;
      await plan.bury(life);
    }
  }

  let life = await begin();
  let own = store;
  for (const step of plan.steps) {
    for (;;) {
      const isDead = () => own !== store;
      await settle(plan.clock, step(life), isDead);
      if (!isDead()) break;
      await plan.bury(life);
      life = await begin();
      own = store;
    }
  }
  return { store, life, lives, moments };
}

/**
 * Passes time until the work is done or its process is dead; the failures of a dead process are
 * not counted.
 */
async function settle(
  clock: VirtualClock,
  work: Promise<unknown>,
  isDead: () => boolean,
): Promise<void> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => undefined);
  await clock.advanceUntil(() => isDone || isDead(), 900_000);
  if (isDead()) return;
  if (!isDone) throw new Error('a step came to nothing');
  await done;
}
