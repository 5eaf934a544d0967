import { doubtBooks } from '../domain/book-doubt.ts';
import { BookFold } from '../domain/book-fold.ts';
import { haveSameLevels } from '../domain/book-trust.ts';
import { AppError } from '../domain/errors.ts';
import type { MarketId, TokenId, VenueId } from '../domain/ids.ts';
import type { OutcomeIndex } from '../domain/market.ts';
import { inWallTime, type Clock } from '../ports/clock.ts';
import type { Listener } from '../ports/listener.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { BookChange, BookSnapshot, BookSource, BookWatch } from '../ports/venue-books.ts';
import { createLongest, type Longest } from '../adapters/wire/longest.ts';

/** The market and the outcome of it that a token is: neither ever changes. */
export interface TokenPlace {
  readonly marketId: MarketId;
  readonly outcome: OutcomeIndex;
  readonly tokens: readonly [TokenId, TokenId];
}

/** Who follows the books of some markets; a frame holds both books of one market. */
export interface BookFollower<Frame> {
  readonly marketIds: readonly MarketId[];
  take(marketId: MarketId, frame: Frame): void;
  /** A frame about a book cannot be read: that of the market named, or any where it is null. */
  refused(marketId: MarketId | null): void;
  /** The market has ended by what the socket says; null where payouts are shared. */
  resolved(marketId: MarketId, winner: OutcomeIndex | null): void;
  /** The socket is open and the markets are asked for. */
  opened(): void;
  /** The socket is lost, and this follower is forgotten. */
  lost(cause: unknown): void;
}

/** One socket for all books that are followed, open while any is. */
export interface BookLine<Frame> {
  /** Returns what ends it. */
  follow(follower: BookFollower<Frame>): () => void;
}

export interface WholeBooksParts<Frame> extends Pick<Runtime, 'clock' | 'metrics'> {
  readonly venue: VenueId;
  readonly line: BookLine<Frame>;
  /** Where a token belongs, from memory. */
  readonly placeOf: (tokenId: TokenId) => TokenPlace | null;
  /** The same, asked for where it is not known. */
  readonly find: (tokenId: TokenId) => Promise<TokenPlace | null>;
  /** A book as it is now by REST; null where there is no such book. */
  readonly read: (tokenId: TokenId) => Promise<BookSnapshot | null>;
  /** One token's book of a frame; null for an unreadable level. */
  readonly snapshotOf: (
    frame: Frame,
    place: TokenPlace,
    tokenId: TokenId,
    atMs: number,
  ) => BookSnapshot | null;
  /**
   * The number the venue gave a frame, or a book that was read: one below the newest tells of a
   * book that has gone by. Absent where it numbers none.
   */
  readonly numberOf?: (of: Frame | BookSnapshot) => number | null;
  /**
   * A book that is read may show a change this long, of wall time, before the socket tells it:
   * they come by different ways.
   */
  readonly socketTrailsMs: number;
}

/**
 * Makes the book source of a venue whose socket sends whole books, both outcomes' in one frame, and
 * stamps them with no time that could be compared with ours: a book is as old as the question for
 * it, a frame as its arrival. A frame that cannot be read puts the books it may be of in doubt; the
 * socket's loss is an error of each watch.
 */
export function createWholeBooks<Frame>(parts: WholeBooksParts<Frame>): BookSource {
  const watched = new Set<BookFold>();
  const applying = createLongest((seconds) =>
    parts.metrics.observe('frame_apply_seconds', seconds, { venue: parts.venue }),
  );
  return {
    async snapshot(tokenId) {
      const asked = await parts.read(tokenId);
      const isNews = [...watched].some((fold) => fold.tokenId === tokenId && differs(fold, asked));
      if (isNews) await trailing(parts.clock, parts.socketTrailsMs);
      return asked;
    },
    watch: (tokenIds, listener) => watchBooks({ ...parts, applying, tokenIds, listener, watched }),
  };
}

/** Reports whether a book that was read shows what the socket has not published. */
function differs(fold: BookFold, asked: BookSnapshot | null): boolean {
  return fold.fault === null && asked !== null && !haveSameLevels(fold.view(), asked);
}

/** What the socket has still not published after this it will not publish. */
function trailing(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(inWallTime(clock, ms), resolve));
}

interface Watching<Frame> extends WholeBooksParts<Frame> {
  readonly applying: Longest;
  readonly tokenIds: readonly TokenId[];
  readonly listener: Listener<BookChange>;
  /** Books that are followed. */
  readonly watched: Set<BookFold>;
}

function watchBooks<Frame>(parts: Watching<Frame>): BookWatch {
  const { clock, listener, placeOf } = parts;
  const folds = new Map([...new Set(parts.tokenIds)].map((id) => [id, new BookFold(id)]));
  const newest = new Map<MarketId, number>();
  for (const fold of folds.values()) parts.watched.add(fold);
  const life = { isOver: false };
  const foldsOf = (marketId: MarketId | null): readonly BookFold[] =>
    [...folds.values()].filter(
      ({ tokenId }) => marketId === null || placeOf(tokenId)?.marketId === marketId,
    );
  const tell = (book: BookFold): void => listener.next(book);

  function isOld(marketId: MarketId, of: Frame | BookSnapshot): boolean {
    const number = parts.numberOf?.(of) ?? null;
    if (number === null) return false;
    const known = newest.get(marketId) ?? -1;
    newest.set(marketId, Math.max(known, number));
    return number < known;
  }

  function apply(marketId: MarketId, frame: Frame): void {
    const nowMs = clock.nowMs();
    const changed = foldsOf(marketId);
    if (changed.length === 0 || isOld(marketId, frame)) return;
    for (const fold of changed) {
      const place = placeOf(fold.tokenId);
      const snapshot = place && parts.snapshotOf(frame, place, fold.tokenId, nowMs);
      if (snapshot === null) {
        countUnreadable(parts);
        return doubtBooks(changed, tell);
      }
      fold.replace(snapshot, nowMs);
    }
    for (const fold of changed) tell(fold);
  }

  function replace(fetched: BookSnapshot): boolean {
    const fold = folds.get(fetched.tokenId);
    if (fold === undefined || isOld(fetched.marketId, fetched)) return false;
    if (!fold.replaceFetched(fetched, clock.nowMs())) return false;
    tell(fold);
    return true;
  }

  async function readFirst(): Promise<void> {
    for (const fold of folds.values()) {
      const snapshot = await parts.read(fold.tokenId).catch(() => null);
      if (snapshot !== null && !life.isOver && fold.fault === 'no_snapshot') replace(snapshot);
    }
  }

  let leave = (): void => undefined;
  marketsOf(parts).then(
    (marketIds) => {
      if (life.isOver) return;
      leave = parts.line.follow({
        marketIds,
        take(marketId, frame) {
          const begunMs = parts.applying.begun();
          apply(marketId, frame);
          parts.applying.ended(begunMs);
        },
        refused: (marketId) => doubtBooks(foldsOf(marketId), tell),
        resolved(marketId, winner) {
          const [fold] = foldsOf(marketId);
          const tokens = fold === undefined ? null : placeOf(fold.tokenId)?.tokens;
          const winning = winner === null ? null : (tokens?.[winner] ?? null);
          listener.next({ kind: 'resolved', marketId, winner: winning, venueAtMs: clock.nowMs() });
        },
        opened: () => void readFirst(),
        lost: (cause) => listener.error(cause),
      });
    },
    (cause: unknown) => {
      if (!life.isOver) listener.error(cause);
    },
  );
  return {
    book: (tokenId) => folds.get(tokenId) ?? null,
    replace,
    stop() {
      life.isOver = true;
      for (const fold of folds.values()) parts.watched.delete(fold);
      leave();
    },
  };
}

/** The markets of some tokens. Errors: `venue_unavailable` where they cannot be found. */
async function marketsOf<Frame>({ find, tokenIds }: Watching<Frame>): Promise<readonly MarketId[]> {
  try {
    const places = await Promise.all(tokenIds.map(find));
    return [...new Set(places.flatMap((place) => place?.marketId ?? []))];
  } catch (cause) {
    throw new AppError('venue_unavailable', 'the markets of some tokens were not found', {
      retryable: true,
      cause,
    });
  }
}

/** Counts a frame of a market's books that cannot be read. */
export function countUnreadable({
  venue,
  metrics,
}: Pick<WholeBooksParts<unknown>, 'venue' | 'metrics'>): void {
  metrics.count('venue_dropped_total', { venue, channel: 'market', reason: 'schema' });
}
