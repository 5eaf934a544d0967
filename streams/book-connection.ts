import { interval, Observable, type SchedulerLike } from 'rxjs';
import { BOOKS } from '../config/limits/market-data.ts';
import { AppError, assert } from '../src/domain/errors.ts';
import type { TokenId } from '../src/domain/ids.ts';
import type { BookChange, BookSource } from '../src/ports/venue-books.ts';
import { BookGuard, type BookIncident, type BookSeed, type GuardedBook } from './book-guard.ts';
import type { BookKeeper } from './watched-book.ts';

/** What one connection of a market's two books depends on. */
export interface BookConnectionOptions {
  readonly source: BookSource;
  readonly scheduler: SchedulerLike;
  /** How many ms of the scheduler's clock pass in one of the wall's. */
  readonly speed: number;
  /** Up and Down. They outlive the connection. */
  readonly keepers: readonly [BookKeeper, BookKeeper];
  /** See `Market.separateBooks`. */
  readonly areSeparate: boolean;
  /**
   * Books got by REST for the connection before this one: they bridge the time to its first
   * snapshot.
   */
  readonly seeds: Map<TokenId, BookSeed>;
  readonly onIncident: (incident: BookIncident, tokenId: TokenId) => void;
  /** The venue says that it has no such book. */
  readonly onMissing: () => void;
}

/**
 * Runs one connection of one market: gives what the source says, and watches over the trust in both
 * books while it runs (survival.md, "Market data"). Fails with a retryable error when only a new
 * socket helps; `reconnect` sits outside.
 */
export function bookConnection(options: BookConnectionOptions): Observable<BookChange> {
  return new Observable((subscriber) => {
    const { source, scheduler, speed, keepers, seeds } = options;
    const watch = source.watch([keepers[0].tokenId, keepers[1].tokenId], {
      next: (change) => subscriber.next(change),
      error: (cause) => subscriber.error(cause),
    });
    const begin = (keeper: BookKeeper): GuardedBook => {
      const live = watch.book(keeper.tokenId);
      assert(live !== null, `the book of ${keeper.tokenId} is watched`);
      keeper.attach(live);
      const seed = seeds.get(keeper.tokenId);
      // An older one would pass for fresh: the new connection takes it as just received (L8).
      if (seed !== undefined && scheduler.now() - seed.atMs <= BOOKS.seedMaximumMs * speed)
        watch.replace(seed.snapshot);
      return { keeper, live };
    };
    const books = [begin(keepers[0]), begin(keepers[1])] as const;
    seeds.clear();

    const guard = new BookGuard({
      ...options,
      books,
      watch,
      fail: (message) =>
        subscriber.error(new AppError('venue_unavailable', message, { retryable: true })),
    });
    const inspections = interval(BOOKS.inspectEveryMs * speed, scheduler).subscribe(() =>
      guard.inspect(),
    );
    return () => {
      inspections.unsubscribe();
      guard.stop();
      for (const keeper of keepers) keeper.detach();
      watch.stop();
    };
  });
}
