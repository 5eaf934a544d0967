import { BookFold } from '../../domain/book-fold.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type MarketId, type TokenId, type VenueId } from '../../domain/ids.ts';
import { priceTicks, shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { BookChange, BookSnapshot, BookSource, BookWatch } from '../../ports/venue-books.ts';
import type { FeedLink, News } from './feed-link.ts';
import { eachLevel, levelsOf } from './levels.ts';
import { snapshotAnswer } from './protocol.ts';

/** A whole book, or what has changed of one. */
type BookNews = Extract<News, { readonly op: 'book' | 'change' }>;

/** Reads a venue's books from a feed. */
export function linkedBooks(link: FeedLink, venue: VenueId, clock: Clock): BookSource {
  return {
    async snapshot(tokenId) {
      const answer = snapshotAnswer.safeParse(await link.ask({ kind: 'snapshot', venue, tokenId }));
      if (!answer.success)
        throw new AppError('venue_protocol', `the feed answered no book of token ${tokenId}`);
      if (answer.data === null) return null;
      const { marketId, bids, asks, venueAtMs, tickSize, statedE5 } = answer.data;
      return {
        tokenId,
        marketId: asId<MarketId>(marketId),
        bids: levelsOf(bids),
        asks: levelsOf(asks),
        venueAtMs,
        tickSize: tickSize === null ? null : priceTicks(tickSize),
        ...(statedE5 === undefined ? {} : { statedE5 }),
      };
    },
    watch: (tokenIds, listener) => watchBooks({ link, venue, clock, tokenIds, listener }),
  };
}

interface Watching {
  readonly link: FeedLink;
  readonly venue: VenueId;
  readonly clock: Clock;
  readonly tokenIds: readonly TokenId[];
  readonly listener: Listener<BookChange>;
}

/** A book here, and how it compares with the feed's. */
interface Mirrored {
  readonly fold: BookFold;
  /** What came last, in the feed's count; null until a whole book has come. */
  at: number | null;
  /** The feed was asked for the whole. */
  isAsked: boolean;
}

/**
 * Folds what a feed says into books. A change counts only on the state it was made from: after a
 * hole, a difference of the best prices, or a book that the reader has put in place itself, the
 * feed is asked for the whole.
 */
function watchBooks({ link, venue, clock, tokenIds, listener }: Watching): BookWatch {
  const books = new Map(
    [...new Set(tokenIds)].map((id): [TokenId, Mirrored] => [
      id,
      { fold: new BookFold(id), at: null, isAsked: false },
    ]),
  );
  const following = link.follow(
    { kind: 'books', venue, tokenIds: [...books.keys()] },
    {
      hear(news) {
        if (news.op === 'event') return listener.next(eventOf(news));
        if (news.op === 'tick') return;
        const book = books.get(asId<TokenId>(news.tokenId));
        if (book === undefined || !take(book, news)) return;
        listener.next(book.fold);
      },
      lost: (cause) => listener.error(cause),
    },
  );

  /** Reports whether the book has changed. */
  function take(book: Mirrored, news: BookNews): boolean {
    const { fold } = book;
    if (news.op === 'book') {
      book.isAsked = false;
      book.at = fill(fold, news) ? news.at : null;
      if (book.at === null) return false;
    } else if (book.at === null) {
      refetch(book);
      return false;
    } else if (news.at === book.at + 1) {
      book.at = news.at;
      change(book, news);
    } else {
      fold.doubt('gap');
      refetch(book);
      return true;
    }
    if (news.fault === 'gap' || news.fault === 'tick_changed') fold.doubt(news.fault);
    return true;
  }

  /** False where the book in place is newer: its reader has fetched it. */
  function fill(fold: BookFold, news: Extract<BookNews, { readonly op: 'book' }>): boolean {
    const { marketId, bids, asks, venueAtMs, statedE5 } = news;
    return fold.replace(
      {
        marketId: asId<MarketId>(marketId),
        bids: levelsOf(bids),
        asks: levelsOf(asks),
        venueAtMs,
        ...(statedE5 === undefined ? {} : { statedE5 }),
      },
      clock.nowMs() - news.ageMs,
    );
  }

  function change(book: Mirrored, news: Extract<BookNews, { readonly op: 'change' }>): void {
    const { fold } = book;
    eachLevel(news.bids, (price, size) => fold.setLevel('bid', price, size));
    eachLevel(news.asks, (price, size) => fold.setLevel('ask', price, size));
    const best = { bid: news.bestBid, ask: news.bestAsk };
    fold.finish(news.venueAtMs, clock.nowMs() - news.ageMs, best);
    if (fold.fault === 'gap' && news.fault !== 'gap') refetch(book);
  }

  /** What comes until then is not from the state that is here. */
  function refetch(book: Mirrored): void {
    book.at = null;
    if (book.isAsked) return;
    book.isAsked = true;
    following.whole(book.fold.tokenId);
  }

  return {
    book: (tokenId) => books.get(tokenId)?.fold ?? null,
    replace(snapshot: BookSnapshot) {
      const book = books.get(snapshot.tokenId);
      if (book === undefined || !book.fold.replaceFetched(snapshot, clock.nowMs())) return false;
      refetch(book);
      listener.next(book.fold);
      return true;
    },
    stop: () => following.stop(),
  };
}

function eventOf({ event }: Extract<News, { readonly op: 'event' }>): BookChange {
  switch (event.kind) {
    case 'trade':
      return {
        kind: 'trade',
        tokenId: asId<TokenId>(event.tokenId),
        price: priceTicks(event.price),
        shares: shareMicros(event.shares),
        venueAtMs: event.venueAtMs,
      };
    case 'tick_size':
      return {
        kind: 'tick_size',
        tokenId: asId<TokenId>(event.tokenId),
        tickSize: priceTicks(event.tickSize),
      };
    case 'resolved':
      return {
        kind: 'resolved',
        marketId: asId<MarketId>(event.marketId),
        winner: event.winner === null ? null : asId<TokenId>(event.winner),
        venueAtMs: event.venueAtMs,
      };
  }
}
