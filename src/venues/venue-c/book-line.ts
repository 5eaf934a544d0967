import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { asId, type MarketId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BookFollower, BookLine } from '../whole-books.ts';
import { bookEvent, namedEvent, resolvedEvent, type WireBook } from './schema.ts';
import { openMarketsSocket, type MarketsSocket } from './socket.ts';

/** Makes the line; nothing is opened before a book is followed. Books are public. */
export function createBookLine(parts: {
  /** The address of the venue's sockets. */
  readonly url: string;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly openSocket: Transport['openSocket'];
  /** Called for a frame that cannot be read. */
  readonly dropped: () => void;
}): BookLine<WireBook> {
  const followers = new Set<BookFollower<WireBook>>();
  let socket: MarketsSocket | null = null;
  let hasJoined = false;

  /** Each list takes the place of the one before (venue_c.md section 12). */
  function subscribe(): void {
    const marketSlugs = [...new Set([...followers].flatMap((one) => one.marketIds))].slice(
      -VENUE_C.marketsFollowedMaximum,
    );
    socket?.emit('subscribe_market_prices', { marketSlugs, marketAddresses: [] });
  }

  function tell(marketId: MarketId | null, how: (follower: BookFollower<WireBook>) => void): void {
    for (const follower of followers)
      if (marketId === null || follower.marketIds.includes(marketId)) how(follower);
  }

  function refuse(marketId: MarketId | null): void {
    parts.dropped();
    tell(marketId, (follower) => follower.refused(marketId));
  }

  function hear(name: string, payload: unknown): void {
    if (name === 'orderbookUpdate') {
      const { success, data } = bookEvent.safeParse(payload);
      if (!success) return refuse(slugOf(payload));
      const marketId = asId<MarketId>(data.marketSlug);
      tell(marketId, (follower) => follower.take(marketId, data.orderbook));
    } else if (name === 'marketResolved') {
      const { success, data } = resolvedEvent.safeParse(payload);
      if (!success) return;
      const marketId = asId<MarketId>(data.slug);
      tell(marketId, (follower) => follower.resolved(marketId, data.winningIndex));
    }
  }

  function end(): readonly BookFollower<WireBook>[] {
    const left = [...followers];
    followers.clear();
    socket = null;
    hasJoined = false;
    return left;
  }

  function open(): void {
    const mine = openMarketsSocket(
      { ...parts, account: null },
      {
        joined(joined) {
          hasJoined = true;
          joined.emit('subscribe_market_lifecycle', {});
          subscribe();
          for (const follower of followers) follower.opened();
        },
        event: hear,
        unreadable: () => refuse(null),
        lost(cause) {
          for (const follower of end()) follower.lost(cause);
        },
      },
    );
    socket = mine;
  }

  return {
    follow(follower) {
      followers.add(follower);
      if (socket === null) open();
      else if (hasJoined) {
        subscribe();
        follower.opened();
      }
      return () => {
        if (!followers.delete(follower)) return;
        if (followers.size > 0) return hasJoined ? subscribe() : undefined;
        const ended = socket;
        end();
        ended?.close();
      };
    },
  };
}

/** The market an event names, however strange the rest of it is. */
function slugOf(payload: unknown): MarketId | null {
  const { success, data } = namedEvent.safeParse(payload);
  return success ? asId(data.marketSlug) : null;
}
