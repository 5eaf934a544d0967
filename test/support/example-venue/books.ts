import { doubtBooks } from '../../../src/domain/book-doubt.ts';
import { BookFold } from '../../../src/domain/book-fold.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { BookSnapshot, BookSource } from '../../../src/ports/venue-books.ts';
import type { Line } from './line.ts';

/** The example venue's books: the whole of one each time something changed it. */
export function exampleBooks(
  { exchange, clock, call, hear }: Line,
  markets: readonly Market[],
): BookSource {
  function snapshotOf(tokenId: TokenId): BookSnapshot | null {
    const market = markets.find(({ outcomes }) => outcomes.some((one) => one.tokenId === tokenId));
    if (market === undefined || exchange.payouts.has(market.marketId)) return null;
    const { marketId, outcomes, tickSize } = market;
    const outcome = outcomes[0].tokenId === tokenId ? 0 : 1;
    const venueAtMs = exchange.clock.nowMs();
    return { tokenId, marketId, ...exchange.book(marketId, outcome), venueAtMs, tickSize };
  }
  return {
    watch(tokenIds, listener) {
      const folds = new Map(tokenIds.map((tokenId) => [tokenId, new BookFold(tokenId)]));
      const watched = markets.filter(({ outcomes }) =>
        outcomes.some(({ tokenId }) => folds.has(tokenId)),
      );
      const take = (snapshot: BookSnapshot | null) => {
        const fold = snapshot === null ? undefined : folds.get(snapshot.tokenId);
        if (snapshot === null || fold?.replace(snapshot, clock.nowMs()) !== true) return;
        listener.next(fold);
      };
      const snapshots = () => tokenIds.map(snapshotOf);
      const stop = hear(
        (news) => {
          if (news.kind !== 'book' && news.kind !== 'resolved') return null;
          const market = watched.find(({ marketId }) => marketId === news.marketId);
          if (market === undefined) return null;
          return { news, books: exchange.isGarbled(news) ? null : snapshots() };
        },
        ({ news, books }) => {
          if (books === null) doubtBooks(folds.values(), (book) => listener.next(book));
          else if (news.kind === 'book') for (const book of books) take(book);
          else
            listener.next({
              kind: 'resolved',
              marketId: news.marketId,
              winner: null,
              venueAtMs: exchange.clock.nowMs(),
            });
        },
        () => {
          for (const book of snapshots()) take(book);
        },
      );
      return {
        book: (tokenId) => folds.get(tokenId) ?? null,
        replace(snapshot) {
          const fold = folds.get(snapshot.tokenId);
          if (fold?.replaceFetched(snapshot, clock.nowMs()) !== true) return false;
          listener.next(fold);
          return true;
        },
        stop,
      };
    },
    snapshot: (tokenId) => call(() => snapshotOf(tokenId)),
  };
}
