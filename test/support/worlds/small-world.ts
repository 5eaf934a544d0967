import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { startWorld, type World } from '../../../src/sandbox/world.ts';
import type { WorldSettings } from '../../../src/sandbox/world-settings.ts';

/** Epoch ms at which small worlds begin: the start of a window of every kind. */
export const WORLD_START_MS = 1_780_876_800_000;

/** Credentials of small worlds. */
export const WORLD_CREDENTIALS = {
  inferenceKey: 'UP-test',
  dataStreams: { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: 'a secret of the tests' },
  relayer: { key: 'a-builder', secret: 'YSBzZWNyZXQgb2YgdGhlIHRlc3Rz', passphrase: 'open sesame' },
  pinningKey: 'a-pinning-key',
};

/** A world on a virtual clock, without chains unless asked for. */
export async function startSmallWorld(
  settings: Partial<WorldSettings> = {},
  startMs = WORLD_START_MS,
): Promise<{ readonly clock: VirtualClock; readonly world: World }> {
  const clock = createVirtualClock(startMs);
  const world = await startWorld({
    seed: 7,
    clock,
    wallClock: clock,
    dataDir: null,
    credentials: WORLD_CREDENTIALS,
    chains: false,
    ...settings,
  });
  return { clock, world };
}
