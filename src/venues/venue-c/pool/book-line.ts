import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import type { MarketId } from '../../../domain/ids.ts';
import { inWallTime, type Clock } from '../../../ports/clock.ts';
import type { BookFollower, BookLine } from '../../whole-books.ts';
import type { PoolBooks, PoolMarket, PoolPair } from './books.ts';

/** What comes of a book that is followed: what its socket sent, or what a pool was read as. */
export type PoolFrame<Frame> =
  | { readonly kind: 'sent'; readonly book: Frame }
  | { readonly kind: 'read'; readonly pair: PoolPair };

/**
 * Has the markets of pools read while they are followed, and all others heard by the socket. The
 * contract trades on after its market's end, and says nothing of it: the venue is asked now and
 * then. The curve of one that has ended is no book.
 */
export function withPools<Frame>(
  socket: BookLine<Frame>,
  {
    books,
    poolOf,
    isClosed,
    clock,
  }: {
    readonly books: PoolBooks;
    readonly poolOf: (marketId: MarketId) => PoolMarket | null;
    /** Reports whether a market takes no orders any more. */
    readonly isClosed: (marketId: MarketId) => Promise<boolean>;
    readonly clock: Clock;
  },
): BookLine<PoolFrame<Frame>> {
  function followPool(market: PoolMarket, follower: BookFollower<PoolFrame<Frame>>): () => void {
    const { marketId } = market;
    let isOver = false;
    let askedAtMs = clock.nowMs();
    async function askNowAndThen(): Promise<void> {
      const nowMs = clock.nowMs();
      if (nowMs - askedAtMs < inWallTime(clock, VENUE_C_POOL.endAskedMs)) return;
      askedAtMs = nowMs;
      isOver = await isClosed(marketId).catch(() => isOver);
    }
    return books.follow(market, {
      next(pair) {
        void askNowAndThen();
        if (isOver) follower.refused(marketId);
        else follower.take(marketId, { kind: 'read', pair });
      },
      failed: () => follower.refused(marketId),
    });
  }
  return {
    follow(follower) {
      const pools = follower.marketIds.flatMap((marketId) => poolOf(marketId) ?? []);
      const marketIds = follower.marketIds.filter((marketId) => poolOf(marketId) === null);
      const stops = pools.map((pool) => followPool(pool, follower));
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
