import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { MemoryStore, MemoryStoreOptions } from '../../src/adapters/memory/memory-store.ts';
import { aWorld } from './trading-world.ts';
import type { Life, World } from './trading-world.ts';

/** Where the power goes: before a commit, after it with or without the disk having it, or once it is durable. */
export interface CutPoint {
  readonly at: 'before-commit' | 'after-commit' | 'after-commit-kept' | 'after-flush';
  /** Counted over the whole run, starting at 1. */
  readonly number: number;
}

/** Something a user or the world does. Told again when the power went while it was done. */
export type Step = (life: Life, world: World) => Promise<void>;

/** What a run came to. */
export interface CrashRun {
  readonly world: World;
  readonly store: MemoryStore;
  readonly lives: number;
  /** Moments of each kind that passed, those after the cut included. */
  readonly moments: Readonly<Record<'before-commit' | 'after-commit' | 'after-flush', number>>;
  readonly life: Life;
}

/** Runs the steps, cuts the power at most once, and starts again on what the disk kept. */
export async function runWithCut(steps: readonly Step[], cut: CutPoint | null, world = aWorld()): Promise<CrashRun> {
  const moments = { 'before-commit': 0, 'after-commit': 0, 'after-flush': 0 };
  const kinds = { 'before-commit': 'before-commit', 'after-commit': 'after-commit', 'after-commit-kept': 'after-commit', 'after-flush': 'after-flush' } as const;
  let store = createMemoryStore();
  let isCut = false;
  let onCut = () => undefined as void;

  function options(of: () => MemoryStore): MemoryStoreOptions {
    const pass = (kind: keyof typeof moments) => {
      moments[kind] += 1;
      if (cut === null || isCut || kinds[cut.at] !== kind || moments[kind] !== cut.number) return;
      isCut = true;
      store = of().powerCut({ ...options(() => store), keptCommits: cut.at === 'after-commit-kept' ? 1 : 0 });
      onCut();
      throw new Error('the power is gone');
    };
    return { beforeCommit: () => pass('before-commit'), onCommit: () => pass('after-commit'), onFlush: () => pass('after-flush') };
  }

  const first = createMemoryStore(options(() => first));
  store = first;
  let lives = 0;
  let life = await begin();

  async function begin(): Promise<Life> {
    lives += 1;
    const born = world.live(store, { seed: `life-${lives}` });
    onCut = () => born.die();
    await settle(world, born.orders.recover(), () => false);
    born.orders.onUserActive(world.user);
    return born;
  }

  for (const step of steps) {
    const lived = life;
    const isDead = () => lived.store !== store;
    await settle(world, step(life, world), isDead);
    if (!isDead()) continue;
    await lived.orders.stop();
    life = await begin();
    await settle(world, step(life, world), () => false);
  }
  return { world, store, lives, moments, life };
}

/** Passes time until the work is done or its process is dead; the failures of a dead process are nobody's. */
async function settle(world: World, work: Promise<unknown>, isDead: () => boolean): Promise<void> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => undefined);
  await world.clock.advanceUntil(() => isDone || isDead(), 900_000);
  if (isDead()) return;
  if (!isDone) throw new Error('a step came to nothing');
  await done;
}
