import { flatLevels, levelChanges } from '../adapters/feed-link/levels.ts';
import { failureOf } from '../adapters/feed-link/protocol.ts';
import { haveSameLevels } from '../domain/book-trust.ts';
import type { BookView } from '../domain/book.ts';
import { asId, type TokenId } from '../domain/ids.ts';
import type { Runtime } from '../ports/runtime.ts';
import type {
  BookChange,
  BookSnapshot,
  BookSource,
  BookWatch,
  LiveBook,
} from '../ports/venue-books.ts';
import { encode, type Channel, type ReaderEnd } from './channel.ts';
import { lostMs } from './price-channel.ts';
import { createUpstream } from './upstream.ts';

/** Books of one market group. */
export interface BookChannel extends Channel {
  /** Puts a book that was fetched in place of the one here, where it is another and not older. */
  correct(snapshot: BookSnapshot): void;
}

/** A book as it was sent last. */
interface SentBook {
  readonly live: LiveBook;
  readonly view: BookView;
  /** Counts what was sent of it. */
  readonly at: number;
}

/**
 * Tells readers the books of one market group: each the whole book first, then what changes. It is
 * encoded once for all. A reader that is behind is sent nothing of a book until it has caught up,
 * and then the whole of it as it is: nothing is kept for it meanwhile but the token's name.
 */
export function createBookChannel(
  options: Pick<Runtime, 'clock' | 'random'> & {
    readonly number: number;
    readonly source: BookSource;
    readonly tokenIds: readonly TokenId[];
    /** Something was left out for a reader that is behind. */
    readonly leftOut: (what: 'book' | 'trade') => void;
    /** No reader is left, and none comes back. */
    readonly ended: () => void;
  },
): BookChannel {
  const { number, source, tokenIds, clock, leftOut } = options;
  /** Readers, each with the books it is not sent of. */
  const readers = new Map<ReaderEnd, Set<TokenId>>();
  const sent = new Map<TokenId, SentBook>();
  const upstream = createUpstream<BookChange, BookWatch>(options, {
    open: (listener) => source.watch(tokenIds, listener),
    stop: (watch) => watch.stop(),
    next(change) {
      if (change.kind === 'book') return tell(change);
      const text = encode({ op: 'event', channel: number, event: change });
      for (const reader of readers.keys())
        if (change.kind === 'trade' && reader.isBehind()) leftOut('trade');
        else reader.send(text);
    },
    lost(cause) {
      sent.clear();
      const text = encode({ op: 'ended', channel: number, failure: failureOf(cause) });
      const left = [...readers.keys()];
      readers.clear();
      upstream.release();
      for (const reader of left) reader.ended(channel, text);
    },
    ended: options.ended,
  });

  function tell(live: LiveBook): void {
    const { tokenId } = live;
    const before = sent.get(tokenId);
    // Before its first book there is nothing to tell.
    if (live.fault === 'no_snapshot') return;
    const next: SentBook = { live, view: live.view(), at: (before?.at ?? 0) + 1 };
    sent.set(tokenId, next);
    const isMended =
      before === undefined || (isLasting(before.view.distrust) && !isLasting(live.fault));
    const text = isMended ? wholeOf(next) : changeOf(before.view, next);
    for (const [reader, missed] of readers) {
      if (missed.has(tokenId)) continue;
      if (reader.isBehind()) {
        missed.add(tokenId);
        leftOut('book');
      } else reader.send(text);
    }
  }

  function factsOf({ live, at }: SentBook) {
    return {
      channel: number,
      tokenId: live.tokenId,
      at,
      venueAtMs: live.venueAtMs,
      ageMs: Math.max(0, clock.nowMs() - live.receivedAtMs),
      fault: live.fault,
    };
  }

  function wholeOf(book: SentBook): string {
    const { marketId, bids, asks, statedE5 } = book.view;
    return encode({
      op: 'book',
      ...factsOf(book),
      marketId,
      bids: flatLevels(bids),
      asks: flatLevels(asks),
      ...(statedE5 === undefined ? {} : { statedE5 }),
    });
  }

  function changeOf(before: BookView, book: SentBook): string {
    const { live, view } = book;
    // What a pool is believed to be likely is sent with whole books alone.
    if (before.statedE5 !== view.statedE5 || before.marketId !== view.marketId)
      return wholeOf(book);
    return encode({
      op: 'change',
      ...factsOf(book),
      bids: levelChanges(before.bids, view.bids, 'bid'),
      asks: levelChanges(before.asks, view.asks, 'ask'),
      bestBid: live.bestBid,
      bestAsk: live.bestAsk,
    });
  }

  const channel: BookChannel = {
    number,
    lostMs: () => lostMs(upstream.lostSinceMs(), clock.nowMs()),
    join(reader) {
      readers.set(reader, new Set());
      upstream.want();
      for (const book of sent.values()) reader.send(wholeOf(book));
    },
    leave(reader) {
      if (readers.delete(reader) && readers.size === 0) upstream.release();
    },
    whole(reader, tokenId) {
      const book = sent.get(asId<TokenId>(tokenId));
      if (book !== undefined && readers.has(reader)) reader.send(wholeOf(book));
    },
    catchUp(reader) {
      const missed = readers.get(reader);
      for (const tokenId of missed ?? []) {
        if (reader.isBehind()) return;
        missed?.delete(tokenId);
        const book = sent.get(tokenId);
        if (book !== undefined) reader.send(wholeOf(book));
      }
    },
    correct(snapshot) {
      const book = sent.get(snapshot.tokenId);
      if (book === undefined) return upstreamReplace(snapshot);
      if (book.live.fault === null && haveSameLevels(book.live.view(), snapshot)) return;
      upstreamReplace(snapshot);
    },
    close: () => upstream.close(),
  };
  return channel;

  function upstreamReplace(snapshot: BookSnapshot): void {
    if (tokenIds.includes(snapshot.tokenId)) upstream.current()?.replace(snapshot);
  }
}

/** Whether only a whole book ends it. */
function isLasting(fault: BookView['distrust']): boolean {
  return fault === 'gap' || fault === 'tick_changed';
}
