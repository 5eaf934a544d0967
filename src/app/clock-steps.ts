import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';

/**
 * Tells that the machine's clock was set by this many ms, or the machine slept; below zero when it
 * was set back. Our clock holds its deadlines by itself; whoever runs the machine has to know, for
 * a venue refuses signatures of another time.
 */
export function tellClockStep(
  stepMs: number,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): void {
  metrics.count('clock_steps_total', { direction: stepMs > 0 ? 'ahead' : 'back' });
  log.error({ stepMs }, 'clock.stepped');
}
