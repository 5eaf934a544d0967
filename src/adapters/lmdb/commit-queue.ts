import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import { assertSynchronous } from '../../ports/store-rules.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { workThrough } from '../clock/worked-turn.ts';
import type { ChangeWriter } from './layered-view.ts';
import { RecentChanges } from './recent-changes.ts';

/** How changes become durable. */
export interface Committing {
  /** A writer over what is stored and what `staged` holds, that writes to `own`. */
  writer(own: RecentChanges, staged: RecentChanges): ChangeWriter;
  /** Brings a commit to the disk, or rejects with the error of all of its changes. */
  store(staged: RecentChanges): Promise<void>;
  /** Runs after each commit; the next one waits for it. */
  makeRoom(): Promise<void>;
}

/** A change that waits for its commit. */
interface Waiting {
  run(tx: StoreWriter): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What became of a change inside a commit. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Changes in the order asked. Those asked for in one turn, and while a commit is on its way, share
 * the next one.
 */
export class CommitQueue {
  readonly #committing: Committing;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(committing: Committing) {
    this.#committing = committing;
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /**
   * Gives what `change` gave once it is durable. Errors: what it threw, which undoes it alone; what
   * its commit failed with; `store_unavailable` where STORE.waitingChangesMaximum wait.
   */
  add<T>(change: (tx: StoreWriter) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length >= STORE.waitingChangesMaximum) {
        throw new AppError(
          'store_unavailable',
          `${this.#waiting.length} changes wait for the store`,
          { retryable: true },
        );
      }
      // `resolve` is called with what this very change gave.
      this.#waiting.push({ run: change, resolve: (result) => resolve(result as T), reject });
      this.#running ??= this.#commitWaiting();
    });
  }

  async #commitWaiting(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#commit();
      await this.#committing.makeRoom();
    }
    this.#running = null;
  }

  /**
   * Takes as many of the waiting changes as the event loop can spare: those left behind go into the
   * next commit.
   */
  async #commit(): Promise<void> {
    const staged = new RecentChanges();
    const batch: Waiting[] = [];
    const outcomes: Outcome[] = [];
    const untilMs = performance.now() + STORE.commitHoldMs;
    for (const waiting of this.#waiting) {
      if (
        batch.length > 0 &&
        (batch.length >= STORE.changesPerCommit || performance.now() >= untilMs)
      )
        break;
      batch.push(waiting);
      outcomes.push(this.#run(waiting, staged));
    }
    this.#waiting = this.#waiting.slice(batch.length);
    const failure = await this.#committing.store(staged).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const tellings = outcomes.map((outcome, index) => () => {
      if ('error' in outcome) batch[index]?.reject(outcome.error);
      else if (failure !== null) batch[index]?.reject(failure.error);
      else batch[index]?.resolve(outcome.result);
    });
    // Each goes on at once when resolved, which comes before the next commit: a turn of the event
    // loop has room for so many.
    await workThrough(tellings, STORE.telling);
  }

  /**
   * Runs one change on top of those of its commit: what it throws undoes it and leaves its
   * neighbours alone.
   */
  #run(waiting: Waiting, staged: RecentChanges): Outcome {
    const own = new RecentChanges();
    const writer = this.#committing.writer(own, staged);
    try {
      const result = waiting.run(writer.tx);
      assertSynchronous(result);
      staged.absorb(own);
      return { result };
    } catch (error) {
      return { error };
    } finally {
      writer.end();
    }
  }
}
