import { Observable } from 'rxjs';
import type { Subscribe } from '../src/ports/listener.ts';

/**
 * Makes a stream of a callback source: subscribing starts it, unsubscribing or its failure stops
 * it.
 */
export function fromSource<T>(subscribe: Subscribe<T>): Observable<T> {
  return new Observable((subscriber) =>
    subscribe({
      next: (value) => subscriber.next(value),
      error: (cause) => subscriber.error(cause),
    }),
  );
}
