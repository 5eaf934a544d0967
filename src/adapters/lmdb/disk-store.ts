import type { Store } from '../../ports/store.ts';

/** How LMDB keeps up with the log. */
export interface Backlog {
  /**
   * What the log tells that LMDB has not taken in. Two files' worth is usual; more is a store that
   * falls behind.
   */
  readonly bytes: number;
  /**
   * Attempts that failed one after another: to take in what the log tells, or to make its next
   * file. 0 while it keeps up.
   */
  readonly failedInARow: number;
  /** Why the last of them failed; null while it keeps up. */
  readonly cause: unknown;
  /** How often LMDB has taken in a file's worth since the start, and how long the last one took. */
  readonly catchUps: number;
  readonly lastMs: number;
}

/** The store on disk, which says how it keeps up. */
export interface DiskStore extends Store {
  backlog(): Backlog;
  /**
   * Where LMDB's file was put that was damaged: all it had came from the log again. Null where
   * there was nothing wrong with it.
   */
  readonly setAside: string | null;
}
