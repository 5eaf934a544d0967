import {
  concat,
  defer,
  filter,
  Observable,
  of,
  type MonoTypeOperatorFunction,
  type OperatorFunction,
  type SchedulerLike,
} from 'rxjs';

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
      let freshUntilMs = Number.NEGATIVE_INFINITY;
      let isWatched = false;

      const watch = (): void => {
        isWatched = true;
        subscriber.add(scheduler.schedule(expire, Math.max(0, freshUntilMs + 1 - scheduler.now())));
      };
      const forget = (): void => {
        if (freshUntilMs === Number.NEGATIVE_INFINITY) return;
        freshUntilMs = Number.NEGATIVE_INFINITY;
        subscriber.next(null);
      };
      const expire = (): void => {
        isWatched = false;
        if (scheduler.now() > freshUntilMs) forget();
        else watch();
      };
      subscriber.add(
        source.subscribe({
          next: (value) => {
            const untilMs = atMs(value) + limitMs;
            if (scheduler.now() > untilMs) return forget();
            freshUntilMs = untilMs;
            if (!isWatched) watch();
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
 * Drops values that are not newer than the newest seen: several origins, reconnects and polls
 * repeat the past.
 */
export function advancing<
  T extends { readonly sourceAtMs: number },
>(): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      let newestAtMs = Number.NEGATIVE_INFINITY;
      return source.pipe(
        filter(({ sourceAtMs }) => {
          if (sourceAtMs <= newestAtMs) return false;
          newestAtMs = sourceAtMs;
          return true;
        }),
      );
    });
}

/**
 * The value where it is still fresh at `nowMs`, else null: for readers that ask between the
 * stream's own checks.
 */
export function freshAt<T extends { readonly sourceAtMs: number }>(
  value: T | null,
  limitMs: number,
  nowMs: number,
): T | null {
  return value !== null && nowMs - value.sourceAtMs <= limitMs ? value : null;
}
