import {
  ReplaySubject,
  share,
  timer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';

/** How long a shared upstream outlives its last reader. */
export interface Linger {
  readonly lingerMs: number;
  readonly scheduler: SchedulerLike;
}

/**
 * Shares one upstream among all readers and gives a late one the newest value at once. The upstream
 * starts with the first reader and is left with the last one (or `linger` later, so that a reader
 * that comes back finds it running); the remembered value goes with it. Failures reset it too: the
 * next reader starts afresh.
 */
export function shareLatest<T>(linger: Linger | null = null): MonoTypeOperatorFunction<T> {
  return share({
    connector: () => new ReplaySubject<T>(1),
    resetOnRefCountZero: linger === null ? true : () => timer(linger.lingerMs, linger.scheduler),
  });
}
