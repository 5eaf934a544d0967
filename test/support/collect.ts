import type { Listener } from '../../src/ports/listener.ts';

/** A listener that keeps what it hears and lets a test wait for it. */
export interface Collected<T> extends Listener<T> {
  readonly values: T[];
  readonly errors: unknown[];
  /** Resolves when at least `count` values have come; rejects on an error of the source. */
  whenValues(count: number): Promise<readonly T[]>;
  /** Resolves with the first error of the source. */
  whenFailed(): Promise<unknown>;
}

/** Makes a collecting listener. */
export function collect<T>(): Collected<T> {
  const values: T[] = [];
  const errors: unknown[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  const when = <R>(isDone: () => boolean, result: () => R): Promise<R> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (isDone()) resolve(result());
        else if (errors.length > 0) reject(errors[0]);
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  return {
    values,
    errors,
    next(value) {
      values.push(value);
      wake();
    },
    error(cause) {
      errors.push(cause);
      wake();
    },
    whenValues: (count) =>
      when(
        () => values.length >= count,
        () => values,
      ),
    whenFailed: () =>
      when(
        () => errors.length > 0,
        () => errors[0],
      ),
  };
}
