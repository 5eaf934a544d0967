import type { BookDistrust, BookLevel, BookTop, BookView } from '../domain/book.ts';
import type { MarketId, TokenId } from '../domain/ids.ts';
import type { PriceTicks, ShareMicros } from '../domain/units.ts';
import type { Listener } from './listener.ts';

/**
 * A whole book as the venue states it, by socket or by REST. Levels in any order; prices unique per
 * side.
 */
export interface BookSnapshot {
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly venueAtMs: number;
  /** Null where the frame does not carry it. */
  readonly tickSize: PriceTicks | null;
  /** As in `BookView`. */
  readonly statedE5?: number;
}

/**
 * A handle on one token's book inside its source: always the newest state, the same object for the
 * life of the watch. Its numbers are cheap to read; `top()` and `view()` are built on demand and
 * kept until the next change.
 */
export interface LiveBook {
  readonly kind: 'book';
  readonly tokenId: TokenId;
  /** Empty until the first snapshot names it. */
  readonly marketId: MarketId;
  /** Grows with every snapshot that ends a doubt; 0 before the first. */
  readonly epoch: number;
  /** Grows with every frame that touches the book, within an epoch. */
  readonly seq: number;
  readonly venueAtMs: number;
  /** Epoch ms on our clock of the newest frame that touched it; 0 before the first. */
  readonly receivedAtMs: number;
  /**
   * What the frames alone show. `gap` (best prices contradict the venue's own) and `tick_changed`
   * last until the next snapshot, `crossed` until it is not. Age, silence and mirrors are the
   * reader's to judge. Null when nothing is wrong.
   */
  readonly fault: Extract<BookDistrust, 'no_snapshot' | 'gap' | 'crossed' | 'tick_changed'> | null;
  /** Ticks, 0 where the side is empty. */
  readonly bestBid: number;
  /** Ticks, 0 where the side is empty. */
  readonly bestAsk: number;
  top(): BookTop;
  /** `distrust` is `fault`. */
  view(): BookView;
}

/**
 * What the market channel says. A book comes once per frame that touched it, after the whole frame
 * was taken in. `resolved` is a hint (its winner is null where payouts are shared): the directory's
 * resolution is the word.
 */
export type BookChange =
  | LiveBook
  | {
      readonly kind: 'trade';
      readonly tokenId: TokenId;
      readonly price: PriceTicks;
      readonly shares: ShareMicros;
      readonly venueAtMs: number;
    }
  | { readonly kind: 'tick_size'; readonly tokenId: TokenId; readonly tickSize: PriceTicks }
  | {
      readonly kind: 'resolved';
      readonly marketId: MarketId;
      readonly winner: TokenId | null;
      readonly venueAtMs: number;
    };

/** A running watch. */
export interface BookWatch {
  /** The book of a watched token; null for another one. */
  book(tokenId: TokenId): LiveBook | null;
  /**
   * Puts a snapshot got by REST in the place of a doubted book; later frames older than it are
   * ignored. False, and nothing changes, when it is older than the newest frame taken in or of
   * another token. The listener hears of the change.
   */
  replace(snapshot: BookSnapshot): boolean;
  stop(): void;
}

/** Live books of a market group: one upstream socket, however many readers. */
export interface BookSource {
  /**
   * Opens one socket for the group. `error` ends it: subscribe again for a fresh start. Errors:
   * `limit_reached` for too many tokens.
   */
  watch(tokenIds: readonly TokenId[], listener: Listener<BookChange>): BookWatch;
  /**
   * A fresh snapshot by REST; null when the venue has no book for the token. Errors:
   * `venue_unavailable`, `venue_protocol`.
   */
  snapshot(tokenId: TokenId): Promise<BookSnapshot | null>;
}
