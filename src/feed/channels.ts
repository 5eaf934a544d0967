import { FEED_LINK } from '../../config/limits/feed-link.ts';
import type { Subject } from '../adapters/feed-link/protocol.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type TokenId } from '../domain/ids.ts';
import type { BookSnapshot } from '../ports/venue-books.ts';
import { createBookChannel, type BookChannel } from './book-channel.ts';
import type { Channel } from './channel.ts';
import { createPriceChannel } from './price-channel.ts';
import { unreadPrices, unreadVenue, type FeedSources } from './sources.ts';

/** What a feed follows now. */
export interface Channels {
  /**
   * The channel of a subject, made where it is not there. Errors: `not_found` and
   * `venue_unavailable` for what this feed does not read, `limit_reached` for a market too many.
   */
  of(subject: Subject): Channel;
  /** Puts a book that was fetched in place wherever it is followed. */
  correct(venue: string, snapshot: BookSnapshot): void;
  all(): readonly Channel[];
  /**
   * True while sources are wanted and each of them has been lost for `ms`: this feed reaches
   * nothing.
   */
  areLost(ms: number): boolean;
  close(): void;
}

/** Makes the channels: one for each source of prices and each market group, for all readers. */
export function createChannels(
  sources: FeedSources,
  leftOut: (what: 'book' | 'trade') => void,
): Channels {
  const channels = new Map<string, Channel>();
  const markets = new Map<string, { readonly venue: string; readonly books: BookChannel }>();
  let numbers = 0;

  function pricesOf(source: string, key: string): Channel {
    const feed = sources.prices.get(source);
    if (feed === undefined) throw unreadPrices(source);
    numbers += 1;
    return createPriceChannel({
      ...sources,
      number: numbers,
      feed,
      ended: () => channels.delete(key),
    });
  }

  function booksOf({ venue, tokenIds }: Extract<Subject, { kind: 'books' }>, key: string): Channel {
    const source = sources.books.get(venue);
    if (source === undefined) throw unreadVenue('books', venue);
    if (markets.size >= FEED_LINK.marketsMaximum)
      throw new AppError('limit_reached', `the feed follows ${markets.size} markets already`, {
        retryable: true,
      });
    numbers += 1;
    const books = createBookChannel({
      ...sources,
      number: numbers,
      source,
      tokenIds: tokenIds.map((tokenId) => asId<TokenId>(tokenId)),
      leftOut,
      ended() {
        channels.delete(key);
        markets.delete(key);
      },
    });
    markets.set(key, { venue, books });
    return books;
  }

  return {
    of(subject) {
      const key =
        subject.kind === 'prices'
          ? `prices ${subject.source}`
          : `books ${subject.venue} ${[...subject.tokenIds].sort().join(' ')}`;
      const known = channels.get(key);
      if (known !== undefined) return known;
      const made =
        subject.kind === 'prices' ? pricesOf(subject.source, key) : booksOf(subject, key);
      channels.set(key, made);
      return made;
    },
    correct(venue, snapshot) {
      for (const market of markets.values())
        if (market.venue === venue) market.books.correct(snapshot);
    },
    all: () => [...channels.values()],
    areLost: (ms) =>
      channels.size > 0 && [...channels.values()].every((channel) => channel.lostMs() >= ms),
    close() {
      for (const channel of channels.values()) channel.close();
    },
  };
}
