import { STALENESS } from '../config/limits/market-data.ts';
import type { BookDistrust, BookTop, BookView } from '../src/domain/book.ts';
import type { MarketId, TokenId } from '../src/domain/ids.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { LiveBook } from '../src/ports/venue-books.ts';

/**
 * What readers hold of one token's book: the same object across reconnects, always telling the
 * newest state.
 */
export interface WatchedBook {
  readonly kind: 'book';
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  /**
   * Why the book may not be used at this moment; null when it is trusted. Age counts here too (L8).
   */
  distrust(): BookDistrust | null;
  /**
   * The whole book with its distrust. `epoch` never falls, across reconnects too; `receivedAtMs` is
   * the newest word about the book: a frame, or a comparison with REST that found it unchanged.
   */
  view(): BookView;
  /** The best of each side where the book is trusted, else null. */
  top(): Observed<BookTop> | null;
}

/** The group's side of a watched book. */
export interface BookKeeper extends WatchedBook {
  /** Newest word about the book, epoch ms; 0 before the first. */
  heardAtMs(): number;
  /** A connection has begun. */
  attach(live: LiveBook): void;
  /** The connection is lost. */
  detach(): void;
  /** REST said at `atMs` that nothing has changed. */
  confirm(atMs: number): void;
  /** The two books of the market contradict each other, or do so no more. */
  setMirrorBroken(isBroken: boolean): void;
}

/**
 * The clock of a book, and how many of its ms pass in one of the wall's: a book ages in wall time.
 */
export interface BookClock {
  readonly nowMs: () => number;
  readonly speed: number;
}

/** Makes the book of one token, disconnected. */
export function createBookKeeper(
  tokenId: TokenId,
  marketId: MarketId,
  clock: BookClock,
): BookKeeper {
  const { nowMs, speed } = clock;
  let live: LiveBook | null = null;
  let epochBase = 0;
  let lastView: BookView | null = null;
  let confirmedAtMs = 0;
  let isMirrorBroken = false;
  let cached: {
    readonly from: BookView;
    readonly distrust: BookDistrust | null;
    readonly heardAtMs: number;
    readonly view: BookView;
  } | null = null;

  const heardAtMs = (): number =>
    Math.max(live?.receivedAtMs ?? lastView?.receivedAtMs ?? 0, confirmedAtMs);
  const distrust = (): BookDistrust | null => {
    if (live === null) return 'disconnected';
    if (live.fault !== null) return live.fault;
    if (isMirrorBroken) return 'mirror_broken';
    return nowMs() - heardAtMs() > STALENESS.bookMs * speed ? 'stale' : null;
  };
  const empty = (): BookView => ({
    tokenId,
    marketId,
    epoch: 0,
    seq: 0,
    bids: [],
    asks: [],
    venueAtMs: 0,
    receivedAtMs: 0,
    distrust: 'no_snapshot',
  });

  return {
    kind: 'book',
    tokenId,
    marketId,
    heardAtMs,
    distrust,
    view() {
      const from = live?.view() ?? lastView ?? empty();
      const why = distrust();
      const heard = heardAtMs();
      if (
        cached === null ||
        cached.from !== from ||
        cached.distrust !== why ||
        cached.heardAtMs !== heard
      ) {
        const epoch = live === null ? from.epoch : from.epoch + epochBase;
        cached = {
          from,
          distrust: why,
          heardAtMs: heard,
          view: { ...from, marketId, epoch, receivedAtMs: heard, distrust: why },
        };
      }
      return cached.view;
    },
    top() {
      return live === null || distrust() !== null
        ? null
        : { value: live.top(), sourceAtMs: live.venueAtMs, receivedAtMs: heardAtMs() };
    },
    attach(next) {
      live = next;
      isMirrorBroken = false;
    },
    detach() {
      if (live === null) return;
      // The last state stays readable, as what it is: epochs go on above it after the next
      // snapshot.
      lastView = { ...live.view(), epoch: live.epoch + epochBase };
      epochBase += live.epoch;
      live = null;
    },
    confirm(atMs) {
      confirmedAtMs = Math.max(confirmedAtMs, atMs);
    },
    setMirrorBroken(isBroken) {
      isMirrorBroken = isBroken;
    },
  };
}
