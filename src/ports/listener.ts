/**
 * Receives what a source says. After `error` nothing more comes; the reader subscribes again for a
 * fresh start.
 */
export interface Listener<T> {
  next(value: T): void;
  /** A failure of the source; retryable ones are AppErrors that say so. */
  error(cause: unknown): void;
}

/**
 * Starts the source; the function it gives stops it. Subscribing starts the work, unsubscribing
 * ends it, always.
 */
export type Subscribe<T> = (listener: Listener<T>) => () => void;
