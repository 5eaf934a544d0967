import type { Clock, Timer } from '../../ports/clock.ts';

/**
 * Gives what some work comes to, or null where it takes longer than `ms` of the clock; the work
 * goes on. Errors: those of the work that come in time.
 */
export async function within<T>(work: Promise<T>, clock: Clock, ms: number): Promise<T | null> {
  let timer: Timer | null = null;
  const late = new Promise<null>((resolve) => {
    timer = clock.after(ms, () => resolve(null));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    // set in the constructor above, which the compiler does not see
    (timer as Timer | null)?.cancel();
  }
}
