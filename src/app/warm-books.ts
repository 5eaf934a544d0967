import {
  filter,
  firstValueFrom,
  map,
  startWith,
  take,
  timeout,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { API } from '../../config/limits/api.ts';
import { BOOKS } from '../../config/limits/market-data.ts';
import type { TokenId, MarketId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { inWallTime, type Clock, type Timer } from '../ports/clock.ts';
import type { Books } from '../../streams/book.ts';

/** Books for those who trade manually in markets that are not watched yet. */
export interface WarmBooks {
  /**
   * Watches the market's books for a while and resolves once the token's is trusted, where a
   * moment is named one that came later, or BOOKS.snapshotWaitMs × 2 of wall time have
   * passed: a caller waits for it.
   */
  warm(market: Market, tokenId: TokenId, afterMs?: number): Promise<void>;
  stop(): void;
}

/**
 * Makes the keeper of warm books: each is let go API.warmBookMs after it was last asked for, sooner
 * where API.warmBooksMaximum others were asked for since.
 */
export function createWarmBooks(deps: {
  readonly books: Books;
  readonly clock: Clock;
  readonly scheduler: SchedulerLike;
}): WarmBooks {
  const { books, clock, scheduler } = deps;
  const held = new Map<MarketId, { readonly subscription: Subscription; readonly timer: Timer }>();

  const release = (marketId: MarketId): void => {
    const book = held.get(marketId);
    held.delete(marketId);
    book?.timer.cancel();
    book?.subscription.unsubscribe();
  };
  const hold = (market: Market): void => {
    const { marketId } = market;
    const current = held.get(marketId);
    current?.timer.cancel();
    // To the back of the line.
    held.delete(marketId);
    // A market that cannot be watched shows as an untrusted book; the caller's check says so.
    const subscription =
      current?.subscription ?? books.watch(market).subscribe({ error: () => undefined });
    held.set(marketId, {
      subscription,
      timer: clock.after(API.warmBookMs, () => release(marketId)),
    });
    const [oldest] = held.keys();
    if (oldest !== undefined && held.size > API.warmBooksMaximum) release(oldest);
  };

  return {
    async warm(market, tokenId, afterMs = Number.NEGATIVE_INFINITY) {
      // Also where it is trusted already: whoever watches it may leave while the order waits for
      // its turn.
      hold(market);
      const isThere = (): boolean =>
        books.top(tokenId) !== null && (books.view(tokenId)?.receivedAtMs ?? 0) > afterMs;
      if (isThere()) return;
      await firstValueFrom(
        books.watch(market).pipe(
          map(() => undefined),
          startWith(undefined),
          filter(isThere),
          take(1),
          timeout({ each: inWallTime(clock, BOOKS.snapshotWaitMs * 2), scheduler }),
        ),
      ).catch(() => undefined);
    },
    stop() {
      for (const marketId of held.keys()) release(marketId);
    },
  };
}
