import type { Profile } from '../../config/profiles/profile.ts';
import { createScaledClock } from '../adapters/clock/scaled-clock.ts';
import type { Clock } from '../ports/clock.ts';
import { ONE_TIME } from '../ports/market-time.ts';
import type { OpenRuntime } from './runtime.ts';
import { openSandboxTime } from './sandbox-time.ts';
import type { Teardown } from './teardown.ts';

/**
 * Starts market time: the wall clock's where the endpoints are given, else that of the sandbox in
 * this folder. Errors: those of `openSandboxTime`.
 */
export function startTime(
  profile: Profile,
  folder: string,
  { wallClock, teardown }: { readonly wallClock: Clock; readonly teardown: Teardown },
): Pick<OpenRuntime, 'wallClock' | 'clock' | 'marketTime' | 'anchor' | 'keepTime'> {
  if (profile.world === null)
    return {
      wallClock,
      clock: wallClock,
      marketTime: ONE_TIME,
      anchor: null,
      keepTime: () => undefined,
    };
  const time = openSandboxTime(folder, profile.clockScale, wallClock.nowMs());
  const clock = createScaledClock(time.anchor);
  teardown.add(async () => time.stop(clock.nowMs()));
  return {
    wallClock,
    clock,
    marketTime: time.marketTime,
    anchor: time.anchor,
    keepTime: () => time.reserve(clock.nowMs()),
  };
}
