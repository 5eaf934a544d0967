import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { startWorld, type World } from '../../../src/sandbox/world.ts';
import { pump } from '../clocks/pumped-clock.ts';

/** Keys of the sandbox's feeds in tests. */
export const WORLD_CREDENTIALS = {
  inferenceKey: 'UP-test',
  dataStreams: { key: 'b2d6f1a0-5c1e-4c53-9d0e-8a1f4c2e7b90', secret: 'a-secret' },
  relayer: { key: 'a-builder', secret: 'YSBzZWNyZXQgb2YgdGhlIHRlc3Rz', passphrase: 'open sesame' },
  pinningKey: 'a-pinning-key',
};

/** Epoch ms at which the worlds begin unless set otherwise: the start of a quarter of an hour. */
export const WORLD_START_MS = 1_780_880_400_000;

/** A sandbox world on a virtual clock that runs; without market makers unless set otherwise. */
export async function feedWorld({
  startMs = WORLD_START_MS,
  makers = false,
} = {}): Promise<{ readonly world: World; readonly clock: VirtualClock; end(): Promise<void> }> {
  const clock = createVirtualClock(startMs);
  const world = await startWorld({
    clock,
    wallClock: clock,
    seed: 7,
    dataDir: null,
    credentials: WORLD_CREDENTIALS,
    makers,
    chains: false,
  });
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
