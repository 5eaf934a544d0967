import { throttleTime, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';

/**
 * Lets the first value through at once and then the newest of each window: bounds the work a fast
 * source causes downstream without delaying a lone change. What is lost is always older than what
 * is kept.
 */
export function conflate<T>(
  windowMs: number,
  scheduler: SchedulerLike,
): MonoTypeOperatorFunction<T> {
  return throttleTime(windowMs, scheduler, { leading: true, trailing: true });
}
