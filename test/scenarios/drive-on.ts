import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';

/**
 * Lets the clock run until the promise settles, and gives what came of it. Throws when five minutes
 * of the clock bring nothing.
 */
export async function driveOn<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  if (!(await clock.advanceUntil(() => isSettled, 300_000)))
    throw new Error('nothing came of it within five minutes of the clock');
  return settled;
}
