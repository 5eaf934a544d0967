import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import type { World } from '../../src/sandbox/world.ts';
import { startWorld } from '../../src/sandbox/world.ts';
import { pump } from './pumped-clock.ts';

/** Keys of the sandbox's feeds in tests. */
export const WORLD_CREDENTIALS = { inferenceKey: 'UP-test', dataStreams: { key: 'b2d6f1a0-5c1e-4c53-9d0e-8a1f4c2e7b90', secret: 'a-secret' } };

/** A sandbox world without market makers, on a virtual clock that runs. */
export async function feedWorld(): Promise<{ readonly world: World; readonly clock: VirtualClock; end(): Promise<void> }> {
  const clock = createVirtualClock(1_780_880_400_000);
  const world = await startWorld({ clock, seed: 7, dataDir: null, credentials: WORLD_CREDENTIALS, makers: false });
  const running = pump(clock, 10);
  return {
    world,
    clock,
    async end() {
      await running.stop();
      await world.close();
    },
  };
}
