import type { OperatorFunction, SchedulerLike, Subscription } from 'rxjs';
import { concat, Observable, of } from 'rxjs';

/** When a value stops being one. */
export interface StalenessOptions<T> {
  /** A value older than this is absent (L8). */
  readonly limitMs: number;
  /** The moment the value speaks of, epoch ms. */
  readonly atMs: (value: T) => number;
  readonly scheduler: SchedulerLike;
}

/**
 * Gives each value while it is fresh and null once it is too old, without waiting for another one.
 * A value that arrives too old is absent at once. One timer serves any number of values: it looks
 * at the newest when it fires.
 */
export function staleness<T>({
  limitMs,
  atMs,
  scheduler,
}: StalenessOptions<T>): OperatorFunction<T, T | null> {
  return (source) =>
    new Observable<T | null>((subscriber) => {
      let freshUntilMs: number | null = null;
      let check: Subscription | null = null;

      const watch = (untilMs: number): void => {
        check = scheduler.schedule(expire, Math.max(0, untilMs + 1 - scheduler.now()));
        subscriber.add(check);
      };
      const forget = (): void => {
        const wasFresh = freshUntilMs !== null;
        freshUntilMs = null;
        if (wasFresh) subscriber.next(null);
      };
      const expire = (): void => {
        if (check !== null) subscriber.remove(check);
        check = null;
        if (freshUntilMs === null) return;
        if (scheduler.now() > freshUntilMs) forget();
        else watch(freshUntilMs);
      };
      subscriber.add(
        source.subscribe({
          next: (value) => {
            const untilMs = atMs(value) + limitMs;
            if (scheduler.now() > untilMs) {
              forget();
              return;
            }
            freshUntilMs = untilMs;
            if (check === null) watch(untilMs);
            subscriber.next(value);
          },
          error: (cause) => subscriber.error(cause),
          complete: () => subscriber.complete(),
        }),
      );
    });
}

/**
 * As `staleness`, and null until the first value comes: for inputs that are combined with others.
 */
export function freshOrNull<T>(options: StalenessOptions<T>): OperatorFunction<T, T | null> {
  return (source) => concat(of(null), source.pipe(staleness(options)));
}

/**
 * The value where it is still fresh at `nowMs`, else null: for readers that look between the
 * stream's own checks.
 */
export function freshAt<T extends { readonly sourceAtMs: number }>(
  value: T | null,
  limitMs: number,
  nowMs: number,
): T | null {
  return value !== null && nowMs - value.sourceAtMs <= limitMs ? value : null;
}
