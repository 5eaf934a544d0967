import { Observable, timer, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { isRetryable } from '../src/domain/errors.ts';
import type { Random } from '../src/ports/random.ts';

/** How to come back after a failure. */
export interface Backoff {
  /** Ceiling of the first wait; doubled with every failure in a row. */
  readonly firstMs: number;
  /** Ceiling of every wait. */
  readonly maximumMs: number;
  /** A subscription that lived this long after its first value starts the doubling anew. */
  readonly healthyAfterMs: number;
}

/** What `reconnect` depends on. */
export interface ReconnectOptions {
  readonly backoff: Backoff;
  readonly random: Random;
  readonly scheduler: SchedulerLike;
  /** Called before every wait: for the reconnect counter and the log. */
  readonly onReconnect?: (failure: {
    readonly cause: unknown;
    readonly attempt: number;
    readonly waitMs: number;
  }) => void;
  /** Called with the first value after a wait. */
  readonly onReconnected?: () => void;
}

/**
 * Subscribes again after a retryable failure, for ever, after a wait drawn from 0 to a doubling
 * ceiling (full jitter, so that many clients of one fallen server do not return at once). Other
 * errors pass through. Source: feeds.md section 5.
 */
export function reconnect<T>({
  backoff,
  random,
  scheduler,
  onReconnect,
  onReconnected,
}: ReconnectOptions): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      let attempt = 0;
      const connect = (): void => {
        let firstAtMs: number | null = null;
        const wait = (cause: unknown): void => {
          if (!isRetryable(cause)) {
            subscriber.error(cause);
            return;
          }
          attempt =
            firstAtMs !== null && scheduler.now() - firstAtMs >= backoff.healthyAfterMs
              ? 1
              : attempt + 1;
          // Beyond 2^30 the doubling has long met its ceiling.
          const ceilingMs = Math.min(
            backoff.firstMs * 2 ** Math.min(attempt - 1, 30),
            backoff.maximumMs,
          );
          const waitMs = random.integer(ceilingMs + 1);
          onReconnect?.({ cause, attempt, waitMs });
          subscriber.add(timer(waitMs, scheduler).subscribe(connect));
        };
        subscriber.add(
          source.subscribe({
            next: (value) => {
              if (firstAtMs === null && attempt > 0) onReconnected?.();
              firstAtMs ??= scheduler.now();
              subscriber.next(value);
            },
            error: wait,
            complete: () => subscriber.complete(),
          }),
        );
      };
      connect();
    });
}
