import type { MarketId } from '../../../domain/ids.ts';
import type { BookFollower, BookLine } from '../../whole-books.ts';
import type { PoolBooks, PoolMarket, PoolPair } from './books.ts';

/** What comes of a book that is followed: what its socket sent, or what a pool was read as. */
export type PoolFrame<Frame> =
  | { readonly kind: 'sent'; readonly book: Frame }
  | { readonly kind: 'read'; readonly pair: PoolPair };

/** Has the markets of pools read while they are followed, and all others heard by the socket. */
export function withPools<Frame>(
  socket: BookLine<Frame>,
  books: PoolBooks,
  poolOf: (marketId: MarketId) => PoolMarket | null,
): BookLine<PoolFrame<Frame>> {
  return {
    follow(follower) {
      const pools = follower.marketIds.flatMap((marketId) => poolOf(marketId) ?? []);
      const marketIds = follower.marketIds.filter((marketId) => poolOf(marketId) === null);
      const stops = pools.map((pool) => followPool(books, pool, follower));
      if (marketIds.length > 0)
        stops.push(
          socket.follow({
            ...follower,
            marketIds,
            take: (marketId, book) => follower.take(marketId, { kind: 'sent', book }),
          }),
        );
      return () => stops.forEach((stop) => stop());
    },
  };
}

function followPool<Frame>(
  books: PoolBooks,
  market: PoolMarket,
  follower: BookFollower<PoolFrame<Frame>>,
): () => void {
  const { marketId } = market;
  return books.follow(market, {
    next: (pair) => follower.take(marketId, { kind: 'read', pair }),
    failed: () => follower.refused(marketId),
  });
}
