import { watchUser } from '../../support/watched-users.ts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { runThrough, type CutPoint, type Moments } from '../loads/crash-points.ts';
import { aWorld, type Life, type World } from '../worlds/trading-world.ts';

/** Something a user or the world does. Repeated when the power went while it was done. */
export type Step = (life: Life, world: World) => Promise<void>;

/** What a run came to. */
export interface CrashRun {
  readonly world: World;
  readonly store: MemoryStore;
  readonly lives: number;
  readonly moments: Moments;
  readonly life: Life;
}

/**
 * Lives a trader's life on the fake venue, cuts the power at most once, and starts again on what
 * the disk kept.
 */
export async function runWithCut(
  steps: readonly Step[],
  cut: CutPoint | null,
  world = aWorld(),
): Promise<CrashRun> {
  const run = await runThrough<Life>(
    {
      clock: world.clock,
      begin(store, number) {
        const life = world.live(store, { seed: `life-${number}` });
        return {
          life,
          starting: life.orders.recover().then(() => watchUser(life, world.user)),
        };
      },
      die: (life) => life.die(),
      bury: (life) => life.orders.stop(),
      steps: steps.map((step) => (life: Life) => step(life, world)),
    },
    cut,
  );
  return { world, ...run };
}
